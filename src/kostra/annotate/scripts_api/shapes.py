"""What all that is sent and replied has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """What is sent or replied, as a JSON object whose fields are explained."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Sent(Shape):
    """What is sent; a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
