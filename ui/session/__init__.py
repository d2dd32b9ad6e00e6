"""The document as it is edited and run: model, undo, files, what is kept, runs, and the services behind them."""
