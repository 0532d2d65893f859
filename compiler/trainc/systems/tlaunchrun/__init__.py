"""Command lines of TLaunch's tlaunchrun, of which only the reader exists."""
