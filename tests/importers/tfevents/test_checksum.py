from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c as oracle

from trainreport.importers.tfevents.checksum import contribution, crc32c, mask, masked_crc32c, ragged_crc32c


@given(st.binary(max_size=300))
def test_plain_checksum_is_tensorboards(data):
    assert masked_crc32c(data) == oracle(data)


@given(st.lists(st.binary(max_size=300), max_size=8))
def test_ragged_checksum_is_the_plain_one(payloads):
    data = np.frombuffer(b"".join(payloads) + bytes(80), dtype=np.uint8)
    lengths = np.array([len(payload) for payload in payloads], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    assert mask(ragged_crc32c(data, starts, lengths)).tolist() == [masked_crc32c(payload) for payload in payloads]


@given(st.binary(min_size=20, max_size=20), st.sets(st.integers(0, 19)))
def test_columns_and_the_rest_make_the_whole(row, columns):
    rest = bytes(0 if place in columns else byte for place, byte in enumerate(row))
    rows = np.frombuffer(row, dtype=np.uint8).reshape(1, 20)
    assert contribution(rows, columns, 20)[0] ^ crc32c(rest) == crc32c(row)
