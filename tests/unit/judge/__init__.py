"""Tests of trainc.judge."""
