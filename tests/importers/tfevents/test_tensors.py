from __future__ import annotations

import math

import pytest
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from trainreport.importers.tfevents.tensors import table_of

SIGNALLING_NAN_AND_ONE = bytes.fromhex("0100807f 0000803f")
FLOATS_OF_ONE_ROW_AND_TWO_COLUMNS = bytes.fromhex("0801 1208 12020801 12020802")


@pytest.mark.parametrize("field", [b"\x2a", b"\x22"], ids=["float_val", "tensor_content"])
def test_a_signalling_nan_is_read_without_a_warning(field: bytes) -> None:
    tensor = TensorProto.FromString(FLOATS_OF_ONE_ROW_AND_TWO_COLUMNS + field + b"\x08" + SIGNALLING_NAN_AND_ONE)
    table = table_of(tensor)
    assert table is not None
    assert math.isnan(table[0, 0])
    assert table[0, 1] == 1.0
