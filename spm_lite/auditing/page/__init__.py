"""The report of an audit as one page of HTML: no scripts, nothing from elsewhere, light and dark, also on paper."""
