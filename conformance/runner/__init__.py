"""Runners as processes: started, asked, timed, restarted."""
