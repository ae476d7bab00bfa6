"""PDF: the same parts on A4 or Letter, for the archive (PDF/A-3a) and for screen readers (PDF/UA-1).

WeasyPrint writes one standard a file. The second is added here: PDF/UA asks for tags, language, title and the words of
each picture, which PDF/A-3a has already, and for one entry in the metadata.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

from trainreport._optional import require_weasyprint
from trainreport.reports import page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainreport.reports.attached import Attached
    from trainreport.reports.blocks import Document
    from trainreport.reports.brand import Brand

__all__ = ["render"]

_ACCESSIBLE = """\
<rdf:Description xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" rdf:about="" pdfuaid:part="1"/>
<rdf:Description xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
 xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#" rdf:about=""><pdfaExtension:schemas><rdf:Bag>
<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI><pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289 that the file keeps to</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>
"""
"""Says that the file keeps to PDF/UA-1; PDF/A allows a property of another standard only when it is described beside it."""


def render(
    document: Document, *, paper: Literal["A4", "letter"] = "A4", attached: Sequence[Attached] = (), brand: Brand | None = None
) -> bytes:
    """Return the report as PDF; the same document gives the same bytes.

    Parameters
    ----------
    document : Document
    paper : {"A4", "letter"}
    attached : sequence of Attached
        Files that the reader finds in the PDF: what its numbers and charts were made from.
    brand : Brand, optional
        Whose name, logo, colours and fonts it carries.

    Raises
    ------
    MissingDependencyError
        If WeasyPrint or its Pango library is missing.
    """
    weasyprint = require_weasyprint()
    fetcher = _only_data(weasyprint)
    pages = weasyprint.HTML(string=page.render(document, "print", paper, brand), url_fetcher=fetcher).render(pdf_tags=True)
    _declare_accessible(pages.metadata)
    files = [
        weasyprint.Attachment(
            string=one.content, url_fetcher=fetcher, name=one.name, description=one.description,
            created=one.when, modified=one.when, relationship=one.relationship,
        )
        for one in attached
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # WeasyPrint leaves the file of its colour profile to be closed by Python
        pdf: bytes = pages.write_pdf(pdf_variant="pdf/a-3a", attachments=files, finisher=_finish)
    return pdf


def _declare_accessible(metadata: Any) -> None:
    """Add PDF/UA-1 to the metadata, within the block that WeasyPrint writes: readers look at the first block only."""
    written = metadata.generate_rdf_metadata

    def both(*standard: Any) -> bytes:
        block: bytes = written(*standard)
        return block.replace(b"</rdf:RDF>", _ACCESSIBLE.encode() + b"</rdf:RDF>")

    metadata.generate_rdf_metadata = both


def _finish(_: Any, pdf: Any) -> None:
    """Leave the metadata readable without a decoder, and list each attached file once, not twice as WeasyPrint does."""
    metadata = pdf.objects[int(pdf.catalog["Metadata"].split()[0])]
    metadata.compress = False
    if "AF" in pdf.catalog:
        pdf.catalog["AF"][:] = dict.fromkeys(pdf.catalog["AF"])


def _only_data(weasyprint: Any) -> Any:
    """Return a fetcher that opens ``data:`` and nothing else: no file, no network."""
    from weasyprint.urls import URLFetcher

    return URLFetcher(allowed_protocols=("data",), allow_redirects=False)
