"""Short messages to group robots: DingTalk, Feishu, WeCom, ServerChan and whatever else Apprise knows."""
