"""Templates of `suanjia new-provider`: `$slug`, `$Class`, `$origin`, `$today` are filled in."""
