"""Problems, checked and ready to build: one class for each kind of bonds."""
