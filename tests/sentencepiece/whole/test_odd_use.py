"""Unusual arguments and unusual ways to use an object: the same as in sentencepiece."""

import array
import collections

import numpy as np
import pytest
import sentencepiece

import spm_lite

pytestmark = pytest.mark.thread_unsafe  # programs that make an object anew while it is used

ARGUMENTS = [
    "sp.decode([B(b'a')])",
    "sp.decode([B(b'a')], return_type=bytes)",
    "sp.decode(B(b'a'), return_type='serialized_proto')",
    "sp.decode([np.bytes_(b'a')], return_type='offset_mapping')",
    "sp.decode([S('a')], return_type='offset_mapping')",
    "sp.decode([b'a'], return_type='offset_mapping', return_bytes=False)",
    "sp.decode(['\u00e9'.encode(), b'a'], return_type='offset_mapping', return_bytes=False)",
    "sp.decode([[], [b'a']], return_type='offset_mapping', return_bytes=False)",
    "sp.decode(np.array([True, False]))",
    "sp.decode(array.array('H', [5, 6]))",
    "sp.decode(collections.deque([5, 6]))",
    "sp.decode([[5], b'\\5'])",
    "sp.decode([[5], {5: 6}])",
    "sp.decode([[5], {6}])",
    "sp.decode([[5], bytearray(b'\\5')])",
    "sp.encode(L(['hello', 'a']))",
    "sp.encode(L(['hello', 'a']), return_type=str)",
    "sp.nbest_encode(L(['hello', 'a']))",
    "sp.nbest_encode(['a', '\\udfff'])",
    "sp.parallel_encode(['a', '\\udfff'], chunk_len=3)",
    "sp.parallel_encode('a', chunk_len=3, thread_pool=2)",
    "sp.encode('a', return_type='offset_mapping', return_bytes='x')",
    "sp.encode('a', return_type='offset_mapping', return_bytes=1)",
    "sp.encode('a', return_type='')",
    "sp.encode('a', return_type=[])",
    "sp.encode('a', return_type=0)",
    "sp.piece_to_id(B(b'a'))",
    "sp.piece_to_id([B(b'a'), np.bytes_(b'h')])",
    "sp.piece_to_id(bytearray(b'a'))",
    "sp[np.bytes_(b'a')]",
    "sp.id_to_piece(map(int, '56'))",
    "sp.id_to_piece(i for i in range(3))",
    "sp.id_to_piece({5})",
    "sp.get_score({5: 6}.keys())",
    "sp.is_unknown({5: 6}.values())",
    "sp.piece_to_id(('a', b'h'))",
    "sp.piece_to_id([S('a'), 'h'])",
    "sp.piece_to_id(L(['a', 'h']))",
    "sp.piece_to_id(['a', '\\ud800'])",
    "sp.piece_to_id(['a', None])",
    "sp.id_to_piece([5, True])",
    "sp.id_to_piece([5, np.int32(6)])",
    "sp.id_to_piece([5, 10**30])",
    "sp.id_to_piece((5, 10**9))",
    "sp.id_to_piece(L([5, 6]))",
    "sp.get_score((5, -1))",
    "sp.get_score(10**30)",
    "sp.get_score(True)",
    "sp.is_control([0, 1, 2, 3])",
    "sp.is_control([0, 1, 10**9])",
    "sp.is_byte(True)",
    "sp.is_unused([])",
    "sp.is_unknown(())",
    "sp.decode([['a', 'h'], []])",
    "sp.decode([['a'], [5]])",
    "sp.decode([[5], ['a']])",
    "sp.decode([['a', 5]])",
    "sp.decode([['a'], 'h'])",
    "sp.decode([['a'], ('h',)])",
    "sp.decode([['a', '\\ud800']])",
    "sp.decode([['', 'a'], ['h']])",
    "sp.decode(5)",
    "sp.decode(True)",
    "sp.decode('a')",
    "sp.decode('')",
    "sp.decode(['', 'a'])",
    "sp.decode('\\ud800')",
    "sp.decode(-1)",
    "sp.decode(10**30)",
    "sp.decode(S('a'))",
    "sp.decode([5, True])",
    "sp.decode([5, 'a'])",
    "sp.decode(['a', 5])",
    "sp.decode([5, True], return_type='serialized_proto')",
    "sp.decode([5, 10**30], return_type='serialized_proto')",
    "sp.decode([5, -1], return_type='offset_mapping')",
    "sp.encode(['hello', '\\udfff'], return_type=str)",
    "sp.encode(['hello', b'hello'], return_type=bytes)",
    "sp.encode(['hello', 5], return_type=str)",
    "sp.encode(['he\u6f22llo', 'hello', ''], return_type=str)",
    "sp.normalize('\\udfff')",
    "sp.normalize(['a', '\\udfff'])",
    "sp.normalize('\u00c4 b', with_offsets=True)",
    "sp.normalize(S('a'))",
    "sp.encode('hello', add_bos=True)",
    "sp.encode('hello', add_bos=True, add_eos=False)",
    "sp.encode('hello', add_eos=True, return_type=int)",
    "sp.encode('hello', add_bos=True, add_eos=True, out_type=int)",
    "sp.encode('hello', True, True)",
    "sp.encode('', add_bos=True, add_eos=True)",
    "sp.encode('hello', add_bos=1)",
    "sp.encode('hello', add_bos=[])",
    "sp.encode('hello', add_bos='')",
    "sp.encode('hello', add_eos=np.bool_(True))",
    "sp.encode('\\udfff', add_bos=True)",
    "sp.encode('hello', add_bos=True, return_type='foo')",
    "sp.encode('hello', add_bos=True, return_type='proto')",
    "P.from_file('')",
    "P.from_file(None)",
    "P.from_proto(b'')",
    "P.from_proto(None)",
]
PROGRAMS = [
    "sp._return_type = 'foo'; r = sp.encode('a')",
    "sp._return_type = None; r = sp.encode(['a'])",
    "sp._return_type = list; r = sp.nbest_encode('a')",
    "sp._return_type = str; sp._add_bos = True; r = sp.encode('hello')",
    "sp.__init__(add_bos=True); r = sp.encode('a')",
    "sp.__init__(model_proto=sp.serialized_model_proto(), add_bos=True); r = sp.encode('a')",
]
LOADS = [
    "sp.load('/no/such/file')",
    "sp.load(b'/no/such/file')",
    "sp.load('/')",
    "sp.load_from_file('')",
    "sp.load_from_file(None)",
    "sp.load(model_proto=5)",
    "sp.load_from_serialized_proto('abc')",
    "sp.load_from_serialized_proto(b'')",
    "sp.load('a', b'b')",
    "sp.load()",
]


class Text(str):
    pass


class Bytes(bytes):
    pass


class Other(list):
    def __iter__(self):
        return iter([7])


SCOPE = {"S": Text, "B": Bytes, "L": Other, "np": np, "array": array, "collections": collections}


def outcome(program, sp, package):
    """What a program leaves in `r`, or its error."""
    scope = {**SCOPE, "s": package, "P": package.SentencePieceProcessor, "sp": sp}
    try:
        exec(program, scope)
    except Exception as error:
        return error
    return scope["r"]


def compare(program, ours, ref):
    theirs, own = outcome(program, ref, sentencepiece), outcome(program, ours, spm_lite)
    if isinstance(theirs, Exception):
        assert isinstance(own, type(theirs)), repr(own)
    else:
        assert repr(own) == repr(theirs)


@pytest.mark.parametrize("code", ARGUMENTS)
def test_arguments(code, ours, ref):
    compare(f"r = {code}", ours, ref)


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program, ours, ref):
    compare(program, ours, ref)


@pytest.mark.parametrize("code", LOADS)
def test_a_failed_load(code, ours, ref):
    """If the file cannot be read, the old model stays. If the file is damaged, the processor holds none."""
    compare(f"r = {code}", ours, ref)
    compare("r = [len(sp), sp.unk_id()]", ours, ref)


OTHER_FORMS = {  # parts appended to a model, each something that no writer of models would write
    "a piece after the specs": b"\n\x0a\n\x01q\x15\0\0\x80\xbf\x18\x01",
    "an unknown type": b"\n\x05\n\x01q\x18\x09",
    "an ill-formed piece": b"\n\x0b\n\x02\xff\xfe\x15\0\0\x80\xbf\x18\x01",
    "a spec in two parts": b"\x12\x05\xe2\x02\x02zz",
    "a long number": b"\x12\x0b\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "a flag of 256": b"\x1a\x03\x18\x80\x02",
    "unknown fields": b"\xc8\x0c\x05\xc2\x0c\x03abc\x12\x02\x20\x07",
}


@pytest.mark.compiled_protobuf
@pytest.mark.parametrize("part", OTHER_FORMS.values(), ids=OTHER_FORMS.keys())
def test_a_model_in_another_form_comes_back_in_the_usual_one(part, model):
    data = model + part
    ref = sentencepiece.SentencePieceProcessor(model_proto=data)
    ours = spm_lite.SentencePieceProcessor(model_proto=data)
    assert ours.serialized_model_proto() == ref.serialized_model_proto() != data
    assert ours.encode("hello zq", return_type="serialized_proto") == ref.encode(
        "hello zq", return_type="serialized_proto"
    )


def test_from_file_leaves_the_model_to_the_method(tmp_path, model):
    """A subclass whose constructor takes no model can be made from a file too."""

    class Plain(spm_lite.SentencePieceProcessor):
        def __init__(self):
            super().__init__(add_bos=True)

    path = tmp_path / "m.model"
    path.write_bytes(model)
    assert Plain.from_file(str(path)).encode("a")[0] == 1
