"""Maxwell's equations in the time domain on Yee's grid."""
