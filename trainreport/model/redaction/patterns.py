"""What looks personal in a text: addresses, directories, names of users and of hosts where their place says so."""

from __future__ import annotations

import re

__all__ = [
    "COMMON", "EMAIL", "HOME_USER", "HOST_KEY", "LABELS", "METRIC", "NOTHING", "OWNED", "PLACEHOLDER", "PUBLIC", "SLOTS", "STORES",
    "TEXT", "TOLD", "USER_KEY", "USER_KEYS", "WHOLE_PATH", "key_name",
]  # fmt: skip

_LOCAL = r"(?<![\w.+%-])[\w.+%-]{1,128}"  # bounds and looks behind keep the time in line with the length of the text
_EMAIL = rf"{_LOCAL}@(?=[\w-]{{0,63}}[^\W\d_])[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,8}}\.[^\W\d_]{{2,24}}"
_ENDS = r"(?:com|org|net|edu|gov|mil|int|info|dev|app|[a-z]{2})(?![.\w])"
_REAL_EMAIL = rf"{_LOCAL}@(?=[\w-]{{0,63}}[A-Za-z])[\w-]{{2,64}}(?:\.[\w-]{{1,64}}){{0,8}}\.{_ENDS}"
_NAME = r"[^\\/\s\"'<>|:;,()\[\]{}=*?`]"
_USERS = r"(?:Users|Documents and Settings)"
_FULL_NAME = r"[^\W\d_a-z][\w.-]*(?: [^\W\d_a-z][\w.-]*){1,2}/+"  # Ann Lee, as a folder
_WINDOWS = (
    rf"(?<![^\W_])[A-Za-z]:[\\/]+(?:{_USERS}[\\/]+[^\\/:*?\"<>|\r\n]*[^\\/:*?\"<>|\s][\\/]+)?(?:[^\\/:*?\"<>|\s]+[\\/]+)*[^\\/:*?\"<>|\s]*"
)
_SLOTS = (
    rf"(?:(?<=[\\/])|^)(?:home|{_USERS}|users)[\\/]+(?P<home>{_NAME}+)(?=[\\/]|$)"
    r"|tfevents\.\d+\.(?P<events_host>[^/\\\s]{1,255}?)(?=(?:\.\d+\.\d+)?(?:\.v2)?(?:\.profile-empty)?(?:$|[\s/\\,;:\"')]))"
    r"|[A-Z][a-z]{2}\d{2}_\d{2}-\d{2}-\d{2}_(?P<began_host>[^/\\\s]+)"
    r"|(?P<cloud_host>\bip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}\b)"
)
_POSIX = rf"(?:(?<![\w.~/\\\])%+@-])|(?<![^\W_])~)/(?:(?:home|Users)/+{_FULL_NAME}(?:{_NAME}+/+)*|(?:{_NAME}+/+)+){_NAME}*"

EMAIL = re.compile(_EMAIL)
TEXT = re.compile(
    rf"(?P<scheme>(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{{0,31}})://(?P<netloc>[^/\s\"'<>\\|]*)(?P<rest>(?:/[^\s\"'<>|]*)?)"
    rf"|(?P<scp_user>(?<![\w.+-])[\w.+-]{{1,128}})@(?P<scp_host>[A-Za-z][\w.-]{{1,255}}):(?P<scp_path>[~/][^\s\"'<>]*|[\w.-]+/[^\s\"'<>]*)"
    rf"|(?P<email>{_EMAIL})"
    rf"|(?P<windows>{_WINDOWS})"
    rf"|\\\\(?P<unc_host>[\w.-]+)(?P<unc_path>\\[^\s\"'<>|]*)"
    rf"|(?P<posix>{_POSIX})"
    rf"|~(?P<tilde>[A-Za-z][\w.-]*)(?=/)"
    rf"|{_SLOTS}"
    r"|(?P<ip>(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?=:\d{2,5}\b))"
)
"""Whatever is replaced by what it looks like; the first that fits counts."""
SLOTS = re.compile(rf"(?P<email>{_EMAIL})|{_SLOTS}")
"""The same within a path, which has no address in it: homes, names of event files, and folders named by time and host."""

METRIC = re.compile(rf"(?P<path>/(?:home|Users|root)/(?:{_NAME}+/+)*{_NAME}*|[A-Za-z]:[\\/]+{_USERS}[\\/]+\S*)|(?P<email>{_REAL_EMAIL})")
"""What is replaced in the names of metrics and parameters, too: nobody calls a metric so."""
LABELS = re.compile(r"(?<==\")[^\"]*(?=\")")
"""Values of labels in the name of a gauge: ``{cluster="a"}``."""

WHOLE_PATH = re.compile(r"(?:file:/*)?(?:[A-Za-z]:[\\/]|~?/|\\\\)[^\r\n]*")
"""A value that is a path as a whole, spaces in it."""

HOME_USER = re.compile(rf"[\\/](?:home|{_USERS})[\\/]+(?P<name>[^\\/\"'<>|]+?)(?=[\\/]|\s*$)", re.IGNORECASE)

TOLD = re.compile(
    r"(?:(?<=[\s\"'\-;,(\[{])|^)(?:(?P<user>mail[-_]?user|user(?:[-_ ]?name)?|author|owner|logname)"
    r"|(?P<host>(?:slurm_)?(?:job_)?node_?list|host[-_ ]?name|node[-_ ]?name|master_addr))"
    r"[\"']?(?:\s?=\s?|\s*:\s+)[\"']?(?P<name>[^\s\"';)}]+)"
    r"|^(?P<nccl>[A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL"
    r"|arn:aws[\w-]*:(?:iam|sts)::\d*:(?:user|assumed-role/[^/\s]+)/(?P<arn>[\w.@+=-]+)",
    re.IGNORECASE,
)
"""Names that a sentence or a command line tells: ``hostname: gpu01``, ``--mail-user=bob``."""

PLACEHOLDER = re.compile(r"\b(user|host|folder|e-mail)-(\d+)\b")

USER_KEYS = (
    "user", "users", "username", "user_name", "user_id", "userid", "uid", "login", "logname", "owner", "author", "authors", "committer",
    "creator", "created_by", "createdby", "submitted_by", "submitter", "last_modified_by", "launched_by", "started_by", "run_by", "email",
    "e_mail", "mail", "entity", "account_name", "mail_user",
)  # fmt: skip
_HOST_KEYS = (
    "host", "hosts", "hostname", "host_name", "hostnames", "node", "nodes", "nodename", "node_name", "nodelist", "node_list", "exec_host",
    "exec_hosts", "exec_vnode", "batch_host", "batchhost", "submit_host", "alloc_node", "allocnode", "first_host", "master_addr",
    "master_address", "main_address", "server_name", "computer", "computername", "computer_name", "machine_name", "vmname", "vm_name",
    "fqdn", "pod", "pod_name",
)  # fmt: skip
USER_KEY = re.compile(rf"(?:.*_)?(?:{'|'.join(USER_KEYS)})")
HOST_KEY = re.compile(rf"{'|'.join(_HOST_KEYS)}|(?!.*per_).*_(?:hostname|nodelist|nodename|node_list|host_name|host)")
OWNED = re.compile(r"git|remote|repo|source|origin|url|entity|project", re.IGNORECASE)
"""Keys whose web address is that of somebody's own store: its first folder is a user's."""

NOTHING = frozenset({
    "", "-", "git", "none", "null", "nan", "n/a", "na", "unknown", "true", "false", "yes", "no", "auto", "default", "local", "localhost",
    "127.0.0.1", "0.0.0.0", "::1", "all", "any", "0",  # noqa: S104
})  # fmt: skip
"""What stands for no name."""

COMMON = frozenset({
    # accounts that are nobody's
    "root", "user", "users", "admin", "administrator", "guest", "runner", "ubuntu", "debian", "jovyan", "ec2-user", "sagemaker-user",
    "shared", "public", "default", "anonymous", "nobody", "system", "service", "git", "host", "hostname", "node", "nodes", "server",
    "worker", "master", "main", "localhost", "local", "machine", "cluster", "container", "docker", "login", "gpu", "cpu", "tpu", "e-mail",
    "folder", "home", "none", "null", "unknown", "true", "false", "yes", "no", "on", "off", "auto", "nan", "inf", "infinity",
    # words by which learning and hardware are judged
    "accuracy", "acc", "adam", "adamw", "auc", "batch", "best", "bf16", "checkpoint", "ckpt", "config", "cuda", "data", "dataset", "device",
    "disk", "dropout", "energy", "epoch", "epochs", "error", "errors", "eval", "evaluation", "f1", "fp16", "fp32", "gradient", "gradients",
    "io", "iou", "job", "killed", "learning", "learning_rate", "log", "logs", "loss", "lr", "map", "memory", "metric", "metrics", "model",
    "models", "momentum", "name", "nccl", "network", "norm", "nvidia", "oom", "optimizer", "optim", "out", "output", "params", "perplexity",
    "power", "precision", "profile", "profiler", "progress", "rank", "rate", "read", "recall", "restart", "resume", "reward", "run",
    "runs", "samples", "score", "seed", "sgd", "slurm", "speed", "spot", "status", "step", "steps", "temperature", "tensorboard", "test",
    "tesla", "throughput", "time", "torch", "total", "train", "training", "utilization", "val", "valid", "validation", "version", "warning",
    "weight", "write", "xid", "a100", "h100", "v100", "t4", "l4", "of", "the", "and", "to", "in", "is", "it", "as", "at", "by", "or", "an",
})  # fmt: skip
"""Names that are words, too: replaced where their place says that they are a name, and nowhere else."""

STORES = frozenset({
    "s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss", "wasb", "wasbs", "adl", "hdfs", "viewfs", "oss", "cos", "r2", "swift", "nfs", "smb",
    "cifs", "ftp", "sftp", "azureml", "dbfs", "ceph", "minio", "az",
})  # fmt: skip
"""Schemes under which a host or bucket and folders follow, as in a directory."""
PUBLIC = (
    "github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org", "huggingface.co", "hf.co", "wandb.ai", "pytorch.org",
    "tensorflow.org", "python.org", "pypi.org", "arxiv.org", "readthedocs.io", "nvidia.com", "mlflow.org", "keras.io", "kaggle.com",
    "lightning.ai", "apache.org", "google.com", "microsoft.com", "scikit-learn.org", "numpy.org", "pydata.org", "scipy.org", "aka.ms",
    "dagshub.com", "comet.com", "neptune.ai", "clear.ml", "ultralytics.com", "zenodo.org", "wikipedia.org", "stackoverflow.com",
)  # fmt: skip
"""Web hosts that say nothing of who trained."""


def key_name(key: str) -> str:
    """Return the last part of a parameter's name, in one spelling: ``mlflow.user`` is ``user``."""
    last = re.split(r"[./:]", key)[-1].strip()
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    return re.sub(r"\W+", "_", snake).strip("_").lower()
