"""Classes of protobuf messages that are declared in code: no compiler, no schema file, no library of the tool that wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["declared"]


def declared(
    name: str, messages: Mapping[str, Mapping[str, tuple[int, str]]], one_of: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """Return the class of each message, with ``FromString``.

    Parameters
    ----------
    name : str
        Of the package that they are declared in; each is declared once.
    messages : mapping
        Message -> {field: (number, type)}; a type in [] is repeated, one that starts with a capital is a message.
    one_of : mapping, optional
        Message -> fields of which at most one is set, so that one that is set to zero can be told from one that is not.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    package = f"trainreport.{name}"
    file = descriptor_pb2.FileDescriptorProto(name=f"trainreport/{name}.proto", package=package, syntax="proto3")
    for title, fields in messages.items():
        message = file.message_type.add(name=title)
        kinds = (one_of or {}).get(title, ())
        if kinds:
            message.oneof_decl.add(name="kind")
        for field, (number, kind) in fields.items():
            entry = message.field.add(name=field, number=number, label=3 if kind.startswith("[") else 1)
            _set_type(entry, kind.strip("[]"), package)
            if field in kinds:
                entry.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {title: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{title}")) for title in messages}


def _set_type(field: Any, kind: str, package: str) -> None:
    if kind[0].isupper():
        field.type = field.TYPE_MESSAGE
        field.type_name = f".{package}.{kind}"
    else:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
