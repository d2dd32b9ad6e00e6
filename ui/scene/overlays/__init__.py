"""What lies over the 3D picture: colour bar and legend, rulers, handles, marks and placed items."""
