"""Forms made from pydantic models: what is edited is a plain tree of values, what is shown are editors."""
