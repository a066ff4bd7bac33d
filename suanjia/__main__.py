"""`python -m suanjia` is the same program as `suanjia`."""

from suanjia.cli import main

if __name__ == "__main__":
    main()
