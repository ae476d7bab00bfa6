"""Audit packs: what was judged and on what grounds, filed so that it can be checked years later without trainreport.

A pack is a BagIt bag (`bag`) of documents (`create`), optionally signed (`signing`); `verify` says which file of
it changed; `frameworks/*.toml` say which evidence a governance framework asks for (`controls`); `lock` fixes a plan
before training.
"""
