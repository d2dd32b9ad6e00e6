"""Networks and neurons whose answers are known from papers, other programs and float64."""
