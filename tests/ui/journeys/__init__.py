"""Tasks as a person does them in the real window: by mouse and keys on what is seen, with their clicks and seconds."""
