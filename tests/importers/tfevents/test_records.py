from __future__ import annotations

import io
import struct

import numpy as np
import pytest
from event_files import record
from hypothesis import given
from hypothesis import strategies as st

from trainreport.importers.tfevents.checksum import masked_crc32c
from trainreport.importers.tfevents.headers import HEADER_BYTES, LARGE, PADDING, find_headers, header_length, likely_headers
from trainreport.importers.tfevents.parts import Block, Damage
from trainreport.importers.tfevents.records import blocks


def parts(data: bytes) -> list[Block | Damage]:
    return list(blocks(io.BytesIO(data), len(data)))


def payloads(data: bytes) -> list[bytes]:
    return [part.payload(number) for part in parts(data) if isinstance(part, Block) for number in range(len(part.starts))]


def damages(data: bytes) -> list[tuple[int, int]]:
    return [(part.offset, part.end) for part in parts(data) if isinstance(part, Damage)]


PAYLOADS = st.lists(st.one_of(st.binary(max_size=40), st.integers(0, 700).map(bytes), st.binary(max_size=20).map(record)), max_size=12)


@given(PAYLOADS, st.binary(max_size=9))
def test_every_header_is_found_wherever_it_lies(written, before):
    data = before + b"".join(map(record, written))
    places, lengths = find_headers(np.frombuffer(data + bytes(PADDING), dtype=np.uint8), len(data))
    slow = [at for at in range(len(data) - HEADER_BYTES + 1) if (header_length(data[at : at + HEADER_BYTES]) or 0) < LARGE]
    slow = [at for at in slow if header_length(data[at : at + HEADER_BYTES]) is not None]
    assert places.tolist() == slow
    assert lengths.tolist() == [header_length(data[at : at + HEADER_BYTES]) for at in slow]


@given(PAYLOADS, st.binary(max_size=9))
def test_likely_headers_are_all_but_those_of_lengths_that_end_in_a_zero_byte(written, before):
    data = before + b"".join(map(record, written))
    block = np.frombuffer(data + bytes(PADDING), dtype=np.uint8)
    places, lengths = find_headers(block, len(data))
    likely, their_lengths = likely_headers(block, len(data))
    assert set(zip(likely.tolist(), their_lengths.tolist(), strict=True)) <= set(zip(places.tolist(), lengths.tolist(), strict=True))
    assert set(places[lengths % 256 > 0].tolist()) <= set(likely.tolist())
    assert (np.diff(likely) > 0).all()


@given(PAYLOADS)
def test_whole_file_is_read_and_a_record_inside_a_record_is_not(written):
    data = b"".join(map(record, written))
    assert payloads(data) == written
    assert damages(data) == []


@pytest.mark.parametrize("length", [0, 1, 255, 256, 257, LARGE - 1])
def test_lengths_at_the_borders(length):
    assert [len(payload) for payload in payloads(record(bytes(length)) * 3)] == [length] * 3


def test_large_records_are_passed_over():
    data = record(b"a") + record(bytes(LARGE)) + record(b"b") + record(bytes(3_000_000)) + record(b"c")
    assert payloads(data) == [b"a", b"b", b"c"]
    assert [large.length for part in parts(data) if isinstance(part, Block) for large in part.large] == [LARGE, 3_000_000]


def test_blocks_end_anywhere():
    written = [bytes([number % 251]) * (number % 5000) for number in range(2000)]
    assert payloads(b"".join(map(record, written))) == written


def test_a_damaged_header_costs_its_record():
    first, second, third = record(b"a" * 20), record(b"b" * 30), record(b"c" * 40)
    data = first + b"\xff" + second[1:] + third
    assert payloads(data) == [b"a" * 20, b"c" * 40]
    assert damages(data) == [(len(first), len(first + second))]


def test_a_length_beyond_the_file_is_damage_and_nothing_is_allocated():
    header = struct.pack("<Q", 2**62)
    liar = header + struct.pack("<I", masked_crc32c(header))
    assert payloads(record(b"a") + liar + record(b"b")) == [b"a", b"b"]
    assert damages(record(b"a") + liar) == [(17, 29)]


def test_records_written_behind_a_cut_one_are_found():
    data = record(b"a" * 50) + record(b"b" * 50)[:30] + record(b"c" * 50) + record(b"d" * 50)
    assert payloads(data) == [b"a" * 50, b"c" * 50, b"d" * 50]
    assert damages(data) == [(66, 96)]


def test_damage_over_many_blocks():
    gap = b"\x01" * 1_000_000
    data = record(b"a") + gap + record(b"b") * 2
    assert payloads(data) == [b"a", b"b", b"b"]
    assert damages(data) == [(17, 17 + len(gap))]


def test_a_file_that_shrinks_while_it_is_read():
    data = record(b"a" * 50) * 3
    found = list(blocks(io.BytesIO(data[:-10]), len(data)))
    assert [len(part.starts) for part in found if isinstance(part, Block)] == [2]
    assert any(isinstance(part, Damage) for part in found)
