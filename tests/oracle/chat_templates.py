"""Chat templates in the shapes of published families, written anew: their markers, their order, what they refuse.

Each shape is known by its family's name. `conversations` makes random chats that a shape accepts.
"""

# ruff: noqa: E501  (a template is easier to read by its own lines)

import random
from typing import Any, NamedTuple


class Shape(NamedTuple):
    """A template and what it takes. markers: its special tokens. has_system, has_tools: it takes such messages.

    alternates: user and assistant speak in turn, the user first.
    """

    template: str
    markers: tuple[str, ...]
    has_system: bool = True
    has_tools: bool = False
    alternates: bool = False


CHATML = ("<|im_start|>", "<|im_end|>")

SHAPES = {
    "chatml": Shape(
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}"
        "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
        CHATML,
    ),
    "chatml with generations": Shape(
        """
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' }}
    {%- if message.role == 'assistant' %}
        {%- generation %}{{ message.content + '<|im_end|>' }}{% endgeneration %}
    {%- else %}
        {{- message.content + '<|im_end|>' }}
    {%- endif %}
    {{- '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}""",
        CHATML,
    ),
    "llama 2": Shape(
        """{% if messages[0]['role'] == 'system' %}{% set turns = messages[1:] %}{% set first = messages[0]['content'] %}
{%- else %}{% set turns = messages %}{% set first = none %}{% endif %}
{%- for message in turns %}
{%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('user and assistant must take turns') }}{% endif %}
{%- if loop.first and first is not none %}{% set text = '<<SYS>>\n' + first + '\n<</SYS>>\n\n' + message['content'] %}
{%- else %}{% set text = message['content'] %}{% endif %}
{%- if message['role'] == 'user' %}{{ bos_token + '[INST] ' + text.strip() + ' [/INST]' }}
{%- elif message['role'] == 'assistant' %}{% generation %}{{ ' ' + text.strip() + ' ' + eos_token }}{% endgeneration %}{% endif %}
{%- endfor %}""",
        ("<s>", "</s>"),
        alternates=True,
    ),
    "llama 3": Shape(
        "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + "
        "message['role'] + '<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}"
        "{% set content = '<|begin_of_text|>' + content %}{% endif %}{{ content }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
    ),
    "llama 3.1 with tools": Shape(
        """{{- '<|begin_of_text|>' }}
{%- if messages[0].role == 'system' %}{% set system = messages[0].content | trim %}{% set messages = messages[1:] %}
{%- else %}{% set system = '' %}{% endif %}
{{- '<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\n' }}
{%- if tools %}{{ 'Environment: ipython\n' }}
{%- for tool in tools %}{{ tool | tojson(indent=4) }}{{ '\n\n' }}{% endfor %}{% endif %}
{{- system + '<|eot_id|>' }}
{%- for message in messages %}
{%- if message.tool_calls %}
{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}
{%- generation %}{{ '{"name": "' + message.tool_calls[0].function.name + '", "parameters": ' }}
{{- message.tool_calls[0].function.arguments | tojson }}{{ '}<|eot_id|>' }}{% endgeneration %}
{%- elif message.role == 'tool' %}
{{- '<|start_header_id|>ipython<|end_header_id|>\n\n' }}
{%- if message.content is mapping or message.content is iterable and message.content is not string %}
{{- message.content | tojson }}{% else %}{{ message.content }}{% endif %}{{ '<|eot_id|>' }}
{%- else %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' }}
{%- if message.role == 'assistant' %}{% generation %}{{ message.content | trim + '<|eot_id|>' }}{% endgeneration %}
{%- else %}{{ message.content | trim + '<|eot_id|>' }}{% endif %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}""",
        ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        has_tools=True,
    ),
    "gemma": Shape(
        "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}{{ raise_exception('no system role') }}"
        "{% endif %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must take turns') }}"
        "{% endif %}{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
        "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
        ("<start_of_turn>", "<end_of_turn>", "<bos>"),
        has_system=False,
        alternates=True,
    ),
    "gemma 3": Shape(
        """{{ bos_token }}
{%- if messages[0].role == 'system' -%}
    {%- set prefix = (messages[0].content if messages[0].content is string else messages[0].content[0].text) + '\n\n' -%}
    {%- set rest = messages[1:] -%}
{%- else -%}{%- set prefix = '' -%}{%- set rest = messages -%}{%- endif -%}
{%- for message in rest -%}
    {%- set role = 'model' if message.role == 'assistant' else message.role -%}
    {{ '<start_of_turn>' + role + '\n' + (prefix if loop.first else '') }}
    {%- if message.content is string -%}{{ message.content | trim }}
    {%- else -%}
        {%- for item in message.content -%}
            {%- if item.type == 'image' -%}{{ '<start_of_image>' }}{%- elif item.type == 'text' -%}{{ item.text | trim }}{%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{ '<end_of_turn>\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\n' }}{%- endif -%}""",
        ("<start_of_turn>", "<end_of_turn>", "<start_of_image>", "<bos>"),
        alternates=True,
    ),
    "mistral": Shape(
        "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('roles must take turns') }}{% endif %}{% if message['role'] == 'user' %}"
        "{{ '[INST] ' + message['content'] + ' [/INST]' }}{% elif message['role'] == 'assistant' %}"
        "{{ message['content'] + eos_token + ' ' }}{% else %}{{ raise_exception('a role is not known') }}{% endif %}{% endfor %}",
        ("[INST]", "[/INST]", "<s>", "</s>"),
        has_system=False,
        alternates=True,
    ),
    "mistral with tools": Shape(
        """{%- set system = messages[0].content if messages[0].role == 'system' else '' %}
{%- set rest = messages[1:] if messages[0].role == 'system' else messages %}
{{- bos_token }}
{%- for message in rest %}
{%- if message.role == 'user' %}
{%- if tools and loop.last %}{{ '[AVAILABLE_TOOLS][' }}
{%- for tool in tools %}{{ tool | tojson }}{% if not loop.last %}{{ ', ' }}{% endif %}{% endfor %}{{ '][/AVAILABLE_TOOLS]' }}{% endif %}
{{- '[INST]' + (system + '\n\n' if loop.last and system else '') + message.content + '[/INST]' }}
{%- elif message.tool_calls %}
{{- '[TOOL_CALLS][' }}
{%- for call in message.tool_calls %}{{ call.function | tojson }}{% if not loop.last %}{{ ', ' }}{% endif %}{% endfor %}{{ ']' + eos_token }}
{%- elif message.role == 'assistant' %}{% generation %}{{ message.content + eos_token }}{% endgeneration %}
{%- elif message.role == 'tool' %}{{ '[TOOL_RESULTS]{"content": ' + message.content | string + '}[/TOOL_RESULTS]' }}
{%- endif %}
{%- endfor %}""",
        ("[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
        has_tools=True,
    ),
    "phi 3": Shape(
        "{% for message in messages %}{{ '<|' + message['role'] + '|>' + '\n' + message['content'] + '<|end|>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|assistant|>\n' }}{% else %}{{ eos_token }}{% endif %}",
        ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
    ),
    "phi 4": Shape(
        "{% for message in messages %}{% if message['role'] == 'system' %}{{ '<|im_start|>system<|im_sep|>' + message['content'] "
        "+ '<|im_end|>' }}{% elif message['role'] == 'user' %}{{ '<|im_start|>user<|im_sep|>' + message['content'] + '<|im_end|>' }}"
        "{% elif message['role'] == 'assistant' %}{{ '<|im_start|>assistant<|im_sep|>' }}{% generation %}{{ message['content'] + "
        "'<|im_end|>' }}{% endgeneration %}{% endif %}{% endfor %}{% if add_generation_prompt %}"
        "{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}",
        (*CHATML, "<|im_sep|>"),
    ),
    "zephyr": Shape(
        "{% for message in messages %}\n{% if message['role'] == 'user' %}\n{{ '<|user|>\n' + message['content'] + eos_token }}\n"
        "{% elif message['role'] == 'system' %}\n{{ '<|system|>\n' + message['content'] + eos_token }}\n"
        "{% elif message['role'] == 'assistant' %}\n{{ '<|assistant|>\n' + message['content'] + eos_token }}\n{% endif %}\n"
        "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}",
        ("<|system|>", "<|user|>", "<|assistant|>"),
    ),
    "qwen 2.5": Shape(
        """{%- if tools %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0]['role'] == 'system' %}{{- messages[0]['content'] }}{%- else %}{{- 'You are a helpful assistant.' }}{%- endif %}
    {{- '\n\n# Tools\n\n<tools>' }}
    {%- for tool in tools %}{{- '\n' }}{{- tool | tojson }}{%- endfor %}
    {{- '\n</tools><|im_end|>\n' }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}{{- '<|im_start|>system\n' + messages[0]['content'] + '<|im_end|>\n' }}
    {%- else %}{{- '<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n' }}{%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == 'user') or (message.role == 'system' and not loop.first) or (message.role == 'assistant' and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}{{- '\n' + message.content }}{%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
            {{- '\n<tool_call>\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}
            {{- '}\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == 'tool' %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != 'tool') %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\n<tool_response>\n' }}{{- message.content }}{{- '\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != 'tool') %}{{- '<|im_end|>\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}""",
        (*CHATML, "<tool_call>", "</tool_call>"),
        has_tools=True,
    ),
    "qwen 3": Shape(
        """{%- if messages[0].role == 'system' %}{{- '<|im_start|>system\n' + messages[0].content + '<|im_end|>\n' }}{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages | length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages | length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == 'user' and not (message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}{%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if (message.role == 'user') or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>' + '\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set content = message.content if message.content is string else '' %}
        {%- set thought = '' %}
        {%- if message.reasoning_content is string %}{%- set thought = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thought = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or thought) %}
            {{- '<|im_start|>' + message.role + '\n<think>\n' + thought.strip('\n') + '\n</think>\n\n' + content.lstrip('\n') }}
        {%- else %}{{- '<|im_start|>' + message.role + '\n' + content }}{%- endif %}
        {{- '<|im_end|>\n' }}
    {%- elif message.role == 'tool' %}{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\n\n</think>\n\n' }}{%- endif %}
{%- endif %}""",
        (*CHATML, "<think>", "</think>", "<tool_response>", "</tool_response>"),
    ),
    "deepseek v3": Shape(
        """{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}{% endif %}
{%- set ns = namespace(system='', is_first=true) %}
{%- for message in messages %}{% if message['role'] == 'system' %}
{%- set ns.system = ns.system + ('' if ns.is_first else '\n\n') + message['content'] %}{% set ns.is_first = false %}{% endif %}{% endfor %}
{{- bos_token }}{{ ns.system }}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{{ '<｜User｜>' + message['content'] }}{% endif %}
{%- if message['role'] == 'assistant' %}{{ '<｜Assistant｜>' + message['content'] + '<｜end▁of▁sentence｜>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<｜Assistant｜>' }}{% endif %}""",
        ("<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>"),
    ),
    "command r": Shape(
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' + "
        "messages[0]['content'] + '<|END_OF_TURN_TOKEN|>' }}{% set messages = messages[1:] %}{% endif %}"
        "{% for document in documents or [] %}{{ 'Document: ' + loop.index0 | string + '\n' + document['title'] + '\n' + "
        "document['text'] + '\n' }}{% endfor %}"
        "{% for message in messages %}{% set content = message['content'] %}{% if message['role'] == 'user' %}"
        "{{ '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' + content.strip() + '<|END_OF_TURN_TOKEN|>' }}"
        "{% elif message['role'] == 'assistant' %}{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' + content.strip() + "
        "'<|END_OF_TURN_TOKEN|>' }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{% endif %}",
        ("<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>"),
    ),
    "falcon": Shape(
        "{% for message in messages %}{% if not loop.first %}{{ '\n\n' }}{% endif %}{% if message['role'] == 'system' %}"
        "{{ 'System: ' + message['content'].strip() }}{% elif message['role'] == 'user' %}{{ 'User: ' + "
        "message['content'].strip().replace('\r\n', '\n').replace('\n\n', '\n') }}{% elif message['role'] == 'assistant' %}"
        "{{ 'Falcon: ' }}{% generation %}{{ message['content'].strip() }}{% endgeneration %}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ '\n\nFalcon:' }}{% endif %}",
        (),
    ),
    "vicuna": Shape(
        "{% if messages[0]['role'] == 'system' %}{{ messages[0]['content'] + ' ' }}{% set messages = messages[1:] %}{% endif %}"
        "{% for message in messages %}{% if message['role'] == 'user' %}{{ 'USER: ' + message['content'] | trim + ' ' }}"
        "{% else %}{{ 'ASSISTANT: ' + message['content'] | trim + eos_token }}{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}",
        ("</s>",),
    ),
    "alpaca": Shape(
        "{% for message in messages %}{% if message.role == 'user' %}### Instruction:\n{{ message.content | trim }}\n\n"
        "{% elif message.role == 'assistant' %}### Response:\n{% generation %}{{ message.content | trim }}{{ eos_token }}"
        "{% endgeneration %}\n\n{% else %}{{ message.content }}\n\n{% endif %}{% endfor %}"
        "{% if add_generation_prompt %}### Response:\n{% endif %}",
        ("</s>",),
    ),
    "chatglm 4": Shape(
        "[gMASK]<sop>{% for item in messages %}{% if item['role'] == 'system' %}<|system|>\n{{ item['content'] }}"
        "{% elif item['role'] == 'user' %}<|user|>\n{{ item['content'] }}{% elif item['role'] == 'assistant' %}<|assistant|>\n"
        "{{ item['content'] }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}",
        ("[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>"),
    ),
    "olmo 2": Shape(
        "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}{{ '<|system|>\n' + message['content'] + '\n' }}"
        "{% elif message['role'] == 'user' %}{{ '<|user|>\n' + message['content'] + '\n' }}{% elif message['role'] == 'assistant' %}"
        "{% if not loop.last %}{{ '<|assistant|>\n' + message['content'] + eos_token + '\n' }}{% else %}{{ '<|assistant|>\n' + "
        "message['content'] + eos_token }}{% endif %}{% endif %}{% if loop.last and add_generation_prompt %}{{ '<|assistant|>\n' }}"
        "{% endif %}{% endfor %}",
        ("<|system|>", "<|user|>", "<|assistant|>"),
    ),
    "granite": Shape(
        """{%- if messages[0]['role'] != 'system' %}{{- '<|start_of_role|>system<|end_of_role|>Today is ' + strftime_now('%Y') + '.<|end_of_text|>\n' }}{% endif %}
{%- if documents %}{{- '<|start_of_role|>documents<|end_of_role|>' }}
{%- for document in documents %}{{- 'Document ' + loop.index | string + '\n' }}{{- document['text'] }}{% if not loop.last %}{{- '\n\n' }}{% endif %}{% endfor %}
{{- '<|end_of_text|>\n' }}{% endif %}
{%- for message in messages %}
    {{- '<|start_of_role|>' + message['role'] + '<|end_of_role|>' }}
    {%- if message['role'] == 'assistant' %}{% generation %}{{- message['content'] + '<|end_of_text|>' }}{% endgeneration %}
    {%- else %}{{- message['content'] + '<|end_of_text|>' }}{% endif %}
    {{- '\n' }}
    {%- if loop.last and add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}
{%- endfor %}""",
        ("<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"),
    ),
    "harmony": Shape(
        """{%- macro header(role, channel) %}{{ '<|start|>' + role + ('<|channel|>' + channel if channel else '') + '<|message|>' }}{% endmacro %}
{{- header('system', '') + 'Knowledge cutoff: 2024-06\n\nReasoning: ' + (reasoning_effort or 'medium') + '<|end|>' }}
{%- for message in messages %}
    {%- if message.role in ('system', 'developer') %}{{- header('developer', '') + '# Instructions\n\n' + message.content + '<|end|>' }}
    {%- elif message.role == 'assistant' %}
        {%- if loop.last and not add_generation_prompt %}
            {%- if message.thinking %}{{- header('assistant', 'analysis') + message.thinking + '<|end|>' }}{% endif %}
            {{- header('assistant', 'final') + message.content + '<|return|>' }}
        {%- else %}{{- header('assistant', 'final') + message.content + '<|end|>' }}{% endif %}
    {%- else %}{{- header(message.role, '') + message.content + '<|end|>' }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start|>assistant' }}{% endif %}""",
        ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>"),
    ),
    "kimi": Shape(
        """{% macro text_of(content) -%}
  {%- if content is string -%}{{ content }}
  {%- else -%}{%- for part in content -%}{%- if part['type'] == 'text' -%}{{ part['text'] }}{%- endif -%}{%- endfor -%}{%- endif -%}
{%- endmacro %}
{%- for message in messages -%}
  {%- if loop.first and message['role'] != 'system' -%}<|im_system|>system<|im_middle|>You are a helpful assistant<|im_end|>{%- endif -%}
  {%- if message['role'] == 'system' -%}<|im_system|>system<|im_middle|>
  {%- elif message['role'] == 'assistant' -%}<|im_assistant|>assistant<|im_middle|>
  {%- else -%}<|im_user|>user<|im_middle|>{%- endif -%}
  {{ text_of(message['content']) }}<|im_end|>
{%- endfor -%}
{%- if add_generation_prompt -%}<|im_assistant|>assistant<|im_middle|>{%- endif -%}""",
        ("<|im_system|>", "<|im_user|>", "<|im_assistant|>", "<|im_middle|>", "<|im_end|>"),
    ),
}  # fmt: skip

WORDS = (
    "hello", "Hi!", "the cat sat on the mat.", "naïve café", "日本語のテキスト", "สวัสดี", "안녕", "👩‍👩‍👧", "e\u0301", "{{ x }}", "{% if %}",
    "{# c #}", "1234", "\u2581", "a\u2581b", "\u202eabc\u202c", "\t", "   ", "x = {'a': [1, 2]}", "</p>", "<b>", "&amp;", "\u0000",
    "\ufffd", "<", ">", "|", "[", "]", "\\n", "\\ufdd0", "don't", "\U0001f1e9\U0001f1ea", "\u200b", "\r\n", '"quoted"', "re|st",
)  # fmt: skip
TOOLS = [
    {"type": "function", "function": {"name": "weather", "description": "The weather of a city: <now>", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "add", "description": "1 & 2", "parameters": {"type": "object", "properties": {}}}},
]  # fmt: skip


def random_text(rng: random.Random, words: tuple[str, ...] = WORDS) -> str:
    """A text of some words, between any spaces; now and then an empty one."""
    parts: list[str] = []
    for _ in range(rng.choice((0, 1, 2, 4, 9)) if rng.random() < 0.5 else rng.randrange(1, 6)):
        parts += [rng.choice(words), rng.choice((" ", " ", " ", "\n", "", "  ", "\n\n"))]
    return "".join(parts)


def conversation(rng: random.Random, shape: Shape, words: tuple[str, ...] = WORDS) -> list[dict[str, Any]]:
    """Messages that a template of this shape takes."""
    messages: list[dict[str, Any]] = []
    if shape.has_system and rng.random() < 0.5:
        messages.append({"role": "system", "content": random_text(rng, words)})
    for i in range(rng.randrange(1, 6)):
        role = (
            ("user", "assistant")[i % 2]
            if shape.alternates or rng.random() < 0.8
            else rng.choice(("user", "assistant"))
        )
        message: dict[str, Any] = {"role": role, "content": random_text(rng, words)}
        if role == "assistant" and rng.random() < 0.15:
            message["reasoning_content"] = random_text(rng, words)
        messages.append(message)
        if shape.has_tools and role == "assistant" and rng.random() < 0.4:
            call = {"name": "weather", "arguments": {"city": random_text(rng, words)}}
            messages[-1] |= {"tool_calls": [{"type": "function", "function": call}]}
            messages.append({"role": "tool", "content": random_text(rng, words)})
    return messages
