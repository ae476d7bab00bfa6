"""Exports of grid factors, in the forms in which their publishers write them, read by hand."""

from __future__ import annotations

import contextlib
import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainreport.business.grid import chosen, read_factors, read_grid
from trainreport.errors import InputError, UsageError

DAY = 1704067200.0  # 2024-01-01T00:00:00Z
MAPS = (
    "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life cycle),"
    "Carbon-free energy percentage (CFE%),Renewable energy percentage (RE%),Data source\n"
)
OLD_MAPS = (
    "Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),"
    "Carbon Intensity gCO₂eq/kWh (LCA),Low Carbon Percentage\n"
)
WIDE = (
    "Area,MTU,Biomass  - Actual Aggregated [MW],Fossil Hard coal  - Actual Aggregated [MW],Hydro Pumped Storage  - Actual Consumption [MW],"
    "Waste  - Actual Aggregated [MW],Wind Onshore  - Actual Aggregated [MW]\n"
)
LONG = '"MTU (CET/CEST)","Area","Production Type","Generation (MW)"\n'


def read(text, zone=None):
    return read_factors(text.splitlines(keepends=True), zone)


def the_only(text, zone=None):
    _, regions, problems = read(text, zone)
    assert not problems
    [(name, found)] = regions.items()
    return name, (found.start_s - DAY).tolist(), found.g_per_kwh.tolist()


class TestForms:
    @pytest.mark.parametrize("head", [MAPS, OLD_MAPS])
    def test_electricity_maps_life_cycle_before_direct(self, head):
        rows = "2024-01-01 00:00:00,France,France,FR,40,53.1,90,30,x\n2024-01-01 01:00:00,France,France,FR,41,54.2,90,30,x\n"
        assert the_only(head + rows) == ("FR", [0.0, 3600.0], [53.1, 54.2])

    def test_carbon_intensity_api_measured_before_foretold(self):
        text = "from,to,forecast,actual,index\n2024-01-01T00:00Z,2024-01-01T00:30Z,140,150,moderate\n"
        assert the_only(text) == ("", [0.0], [150.0])

    def test_entso_e_wide_is_a_mix_without_what_has_no_factor(self):
        text = WIDE + "Germany (DE),01.01.2024 00:00 - 01.01.2024 00:15 (CET),100,100,n/e,10,800\n"
        _, regions, _ = read(text)
        found = regions["Germany (DE)"]
        assert found.start_s.tolist() == [DAY - 3600]
        assert found.g_per_kwh[0] == pytest.approx((100 * 230 + 100 * 820 + 800 * 11) / 1000)
        assert found.unknown == pytest.approx(10 / 1010)

    def test_entso_e_long_in_summer_time(self):
        rows = '"01/07/2024 00:00:00 - 01/07/2024 00:15:00","BZN|FR","Nuclear","900"\n'
        rows += '"01/07/2024 00:00:00 - 01/07/2024 00:15:00","BZN|FR","Fossil Gas","100"\n'
        name, start, factor = the_only(LONG + rows)
        assert name == "BZN|FR"
        assert start == [182 * 86400.0 - 7200]
        assert factor == [pytest.approx(0.9 * 12 + 0.1 * 490)]

    @pytest.mark.parametrize(
        ("head", "cell", "grams"),
        [("g_per_kwh", "312", 312), ("kg CO2/kWh", "0.312", 312), ("tCO2/MWh", "0.3", 300), ("lbs/MWh", "1000", 453.59237)],
    )  # fmt: skip
    def test_units(self, head, cell, grams):
        assert the_only(f"time,{head}\n2024-01-01T00:00:00Z,{cell}\n")[2] == [pytest.approx(grams)]

    def test_decimal_commas_and_the_given_zone(self):
        assert the_only("Zeit;g/kWh\n2024-01-01 00:00;312,5\n", "Europe/Berlin") == ("", [-3600.0], [312.5])

    def test_the_hour_that_a_clock_shows_twice(self):
        told = ("01:00:00", "02:00:00 (CEST)", "02:00:00 (CET)", "03:00:00")
        rows = "".join(f'"27/10/2024 {hour} - x","A","Nuclear","1"\n' for hour in told)
        _, start, _ = the_only(LONG + rows)
        assert [one - start[0] for one in start] == [0, 3600, 7200, 10800]

    def test_steps_of_a_quarter_of_an_hour_and_a_hole(self):
        text = "time,g_per_kwh\n" + "".join(f"2024-01-01T0{h}:{m:02}:00Z,1\n" for h, m in ((0, 0), (0, 15), (0, 30), (2, 0)))
        _, regions, _ = read(text)
        assert (regions[""].end_s - regions[""].start_s).tolist() == [900, 900, 900, 900]


class TestFaults:
    def test_a_bad_row_is_named_and_the_good_ones_stay(self):
        _, regions, problems = read(
            "time,g_per_kwh\n2024-01-01T00:00:00Z,300\nnever,2\n2024-01-01T01:00:00Z,many\n2024-01-01T02:00:00Z,-5\n"
        )
        assert regions[""].g_per_kwh.tolist() == [300]
        assert [problem.partition(":")[0] for problem in problems] == ["line 3", "line 4", "line 5"]

    @pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "time,price\n2024-01-01T00:00:00Z,3\n", "g_per_kwh\n3\n"])
    def test_no_factors(self, text, tmp_path):
        file = tmp_path / "grid.csv"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"grid\.csv: no factors"):
            read_grid(file)

    @given(st.text(max_size=200))
    def test_any_text_is_read_or_refused(self, text):
        with contextlib.suppress(ValueError, csv.Error):
            _, regions, _ = read("time,g_per_kwh\n" + text)
            assert all((found.end_s > found.start_s).all() for found in regions.values())


class TestRegion:
    def grid(self, tmp_path):
        file = tmp_path / "grid.csv"
        file.write_text("time,region,g_per_kwh\n2024-01-01T00:00:00Z,DE,300\n2024-01-01T00:00:00Z,FR,50\n", encoding="utf-8")
        return read_grid(file)

    def test_the_plan_names_it(self, tmp_path):
        name, factors = chosen(self.grid(tmp_path), "fr")
        assert (name, factors.g_per_kwh.tolist()) == ("FR", [50])

    @pytest.mark.parametrize(("region", "told"), [(None, "the plan names none"), ("DK", "the plan's is 'DK'")])
    def test_it_is_never_guessed(self, tmp_path, region, told):
        with pytest.raises(UsageError, match=f"DE, FR, and {told}"):
            chosen(self.grid(tmp_path), region)
