from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c as oracle

from trainreport.importers.tfevents.checksum import (
    advanced,
    contribution,
    crc32c,
    mask,
    masked_crc32c,
    number_contribution,
    ragged_crc32c,
)


@given(st.binary(max_size=300))
def test_plain_checksum_is_tensorboards(data):
    assert masked_crc32c(data) == oracle(data)


@given(
    st.lists(st.one_of(st.binary(max_size=300), st.sampled_from([63, 64, 67, 68, 131, 132, 5000]).map(bytes)), max_size=8), st.booleans()
)
def test_ragged_checksum_is_the_plain_one(payloads, are_many):
    payloads *= 20 if are_many else 1  # few are done one by one
    data = np.frombuffer(b"".join(payloads) + bytes(80), dtype=np.uint8)
    lengths = np.array([len(payload) for payload in payloads], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    assert mask(ragged_crc32c(data, starts, lengths)).tolist() == [masked_crc32c(payload) for payload in payloads]


@given(st.binary(min_size=20, max_size=20), st.sets(st.integers(0, 19)))
def test_columns_and_the_rest_make_the_whole(row, columns):
    rest = bytes(0 if place in columns else byte for place, byte in enumerate(row))
    rows = np.frombuffer(row, dtype=np.uint8).reshape(1, 20)
    assert contribution(rows, columns, 20)[0] ^ crc32c(rest) == crc32c(row)


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5), st.integers(1, 8), st.integers(0, 40))
def test_numbers_add_what_their_bytes_add(numbers, width, behind):
    values = np.array(numbers, dtype=np.uint64) & np.uint64(2 ** (8 * width) - 1)
    rows = np.zeros((len(values), 8 + behind), dtype=np.uint8)
    rows[:, :8] = values.view(np.uint8).reshape(-1, 8)
    assert number_contribution(values, width, behind).tolist() == contribution(rows, range(8), 8 + behind).tolist()


@given(st.lists(st.tuples(st.binary(min_size=8, max_size=8), st.sampled_from([0, 1, 5, 64, 65, 200, 640])), min_size=1, max_size=9))
def test_states_move_on_over_zero_bytes(pairs):
    rows = np.frombuffer(b"".join(row for row, _ in pairs), dtype=np.uint8).reshape(-1, 8)
    by = [count for _, count in pairs]
    moved = advanced(contribution(rows, range(8), 8), by, np.arange(len(by)))
    assert moved.tolist() == [crc32c(row + bytes(count)) ^ crc32c(bytes(8 + count)) for row, count in pairs]
