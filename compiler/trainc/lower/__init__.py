"""From what the user wrote to what runs: a pass per concern, each one public function in a file of its own."""
