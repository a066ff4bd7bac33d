"""Spiders: one small declaration a provider, over base spiders by how a site serves its prices."""
