"""Threads cut lines into chunks and count them in tables of their own; then the tables are added up.

The hot loops are those of `cut_text`, `cut_match` and `cut_words`. `ChunkCounter.run` shares out the lines.
Header: chunk_counter.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, memmove
from libcpp.vector cimport vector

from spm_lite.base.patterns.text_cuts cimport Part
from spm_lite.base.structures.byte_keys cimport KEY_BYTES
from spm_lite.base.system.heap cimport give_back_memory
from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.base.unicode.bert_words cimport WordRules, end_of_word, is_dropped
from spm_lite.base.unicode.space_mark cimport MARK_BYTES, MARK_POINT
from spm_lite.base.unicode.utf8 cimport char_size, count_chars, decode_char, is_ascii
from spm_lite.encode.segment.split_rules cimport ASCII_ROOM, end_of_next_match
from spm_lite.training.counts.chunk_table cimport BOUNDARY_BYTE, ChunkTable
from spm_lite.training.counts.cut_rules cimport (
    BOUNDARY_MARK, CUT_BERT_WORDS, CUT_BYTES, CUT_CHARACTERS, CUT_LINES, CUT_PIECES, CUT_WORDS, CutMode, CutRules,
)
from spm_lite.training.counts.phrases cimport NO_PHRASES, PhraseMaker
from spm_lite.training.counts.piece_rules cimport (
    NEVER, SPACE_MARK, PieceRules, carried, class_in_bytes, class_of, is_cut,
)

from spm_lite.errors import TrainingError
from spm_lite import kinds

cdef bytes SPACE_BYTES = kinds.SPACE.encode()
cdef const uint8_t* SPACE_UTF8 = SPACE_BYTES

# Bytes of weighted text: normalization can lengthen it, and sums must stay below 2^64.
cdef uint64_t MAX_WEIGHT = <uint64_t> 1 << 56

cdef enum:
    SMALL_BLOCK = 1 << 16       # bytes; for less, a second thread costs more than it saves
    CHUNK_ROOM = 1 << 12        # bytes at first for the current chunk and those that wait
    PART = 1 << 20              # bytes between two checks of the tables' memory


@cython.final
cdef class LineCutter(Worker):
    """The work of one thread, with a table, buffers and figures of its own."""

    def __cinit__(self, CutRules rules):
        self.rules = rules
        self.cuts = None if rules.cuts is None else rules.cuts.new_scratch()
        self.start_table()
        self.figures = LineFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

    cdef int start_table(self) except -1:
        """Count in a new table."""
        self.table, self.phrases = ChunkTable(), None
        if self.rules.inside != NO_PHRASES:
            self.phrases = PhraseMaker(self.table, self.rules.inside, self.rules.mode == CUT_BYTES)
        return 0

    cdef int work(self) except -1 nogil:
        """Cut the lines. Empty and too long ones are left out, and under reference rules those with U+2585."""
        cdef LineFigures* figures = &self.figures
        cdef const Line* line
        cdef uint64_t i
        for i in range(self.n_lines):
            line = &self.lines[i]
            figures.read += 1
            if line.size == 0:
                figures.empty += 1
                if self.rules.in_order and self.rules.are_normalized:
                    self.table.append_line(NULL, 0, line.count)
            elif line.size > self.rules.max_line_size:
                figures.too_long += 1
            elif self.rules.piece_rules.reference_marks and has_unknown_mark(line.text, line.size):
                figures.marked += 1
            elif line.size > 0x7FFFFFFF:
                raise TrainingError(
                    "a line or text of the corpus exceeds 2^31 - 1 bytes; split it, or set max_sentence_length"
                )
            else:
                self.cut_one(line)
        return self.table.add_waiting()

    cdef int cut_one(self, const Line* line) except -1 nogil:
        """Count the chunks of one line, or its phrases."""
        if self.phrases is not None:
            self.phrases.start(line.text, line.size)
        if self.rules.mode == CUT_BYTES:
            self.cut_plain_line(line)
        else:
            self.cut_line(line)
        return 0 if self.phrases is None else self.phrases.end(line.count)

    cdef int cut_plain_line(self, const Line* line) except -1 nogil:
        """Count the chunks of one line as it is given. It is copied if what follows it may not be read."""
        cdef const uint8_t* text = line.text
        if self.lines_end == NULL or self.lines_end - text < <int64_t> (line.size + ASCII_ROOM):
            self.table.add_waiting()  # these texts may be in the line that is overwritten
            self.normalized.assign(text, text + line.size)
            self.normalized.resize(line.size + ASCII_ROOM)
            text = self.normalized.data()
        self.count_used(line)
        return self.cut_stretches(text, <int32_t> line.size, line.count)

    cdef void count_used(self, const Line* line) noexcept nogil:
        """Count a line from which something is learned."""
        self.figures.bytes_used += line.size * line.count
        self.figures.characters_used += <uint64_t> count_chars(line.text, line.size) * line.count
        self.figures.texts_used += line.count

    cdef int cut_line(self, const Line* line) except -1 nogil:
        """Normalize one line and count its chunks."""
        cdef int32_t size
        self.rules.normalizer.normalize_into(line.text, <int32_t> line.size, self.normalized, NULL)
        size = <int32_t> self.normalized.size()
        if size == 0:
            self.figures.blank += 1
            if self.rules.in_order:
                self.table.append_line(NULL, 0, line.count)
            return 0
        self.count_used(line)
        if self.rules.mode == CUT_BERT_WORDS:
            return self.cut_words(self.normalized.data(), size, line.count)
        if not self.rules.has_pattern:
            return self.cut_text(self.normalized.data(), size, line.count)
        self.normalized.resize(<size_t> size + <size_t> ASCII_ROOM)
        return self.cut_stretches(self.normalized.data(), size, line.count)

    cdef int cut_text(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count the chunks of normalized text: of a line, or of a match of the pattern."""
        cdef const PieceRules* piece_rules = &self.rules.piece_rules
        cdef bint compact = self.rules.normalizer.compact, lossless = self.rules.normalizer.lossless
        cdef const uint8_t* run_classes = self.rules.run_classes
        cdef CutMode mode = self.rules.mode
        cdef int32_t step
        cdef uint8_t left = NEVER, right
        cdef uint32_t code_point
        while size > 0:
            step = 0
            while step < size and run_classes[text[step]] == left:
                step += 1
            if step > 0:
                self.put(text, step)
                text += step
                size -= step
                continue
            if self.rules.boundary_starts[text[0]]:
                step = self.rules.boundary_size(text, size)
                if step > 0:
                    self.add_boundary(count)
                    left = NEVER
                    text += step
                    size -= step
                    continue
            if text[0] < 0x80:
                step = 1
                code_point = text[0]
                right = self.rules.ascii_classes[text[0]]
            else:
                step = char_size(text, size)
                code_point = 0 if step == 0 else decode_char(text, step)
                right = class_of(piece_rules, code_point)
            if step == 0 or (lossless and right == SPACE_MARK and step == 3) or (
                code_point == BOUNDARY_MARK and piece_rules.reference_marks
            ):
                self.count_odd(code_point, step == 0, count)
                self.add_boundary(count)
                left = NEVER
                step = 1 if step == 0 else step
                text += step
                size -= step
                continue
            if right == NEVER or code_point == 0xFFFD:
                self.count_odd(code_point, False, count)
            if mode == CUT_PIECES:
                if is_cut(piece_rules, left, right):
                    self.end_chunk(count)
            elif mode == CUT_CHARACTERS or (mode == CUT_WORDS and right == SPACE_MARK):
                self.end_chunk(count)
            if compact and text[0] == 0x20:
                self.put(SPACE_UTF8, MARK_BYTES)
            else:
                self.put(text, step)
            left = right
            text += step
            size -= step
        self.end_chunk(count)
        return 0

    cdef int cut_stretches(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count the chunks of each stretch of a line between special pieces and delimiters, which are in no chunk.

        ASCII_ROOM bytes after the line must be readable.
        """
        cdef const uint8_t* boundary_starts = self.rules.boundary_starts
        cdef const uint8_t* end = text + size
        cdef const uint8_t* begin = text
        cdef int32_t step
        if not self.rules.has_boundaries:
            return self.cut_matches(text, size, count)
        while True:
            while text < end and not boundary_starts[text[0]]:
                text += 1
            if text == end:
                break
            step = self.rules.boundary_size(text, <int32_t> (end - text))
            if step > 0:
                self.cut_matches(begin, <int32_t> (text - begin), count)
                if self.rules.mode == CUT_PIECES:
                    self.add_boundary(count)
                elif self.phrases is not None:
                    self.phrases.end(count)
                begin = text + step
            text += max(step, 1)
        return self.cut_matches(begin, <int32_t> (end - begin), count)

    cdef int cut_matches(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count the chunks of text between two boundaries: of each match of the pattern, if there is one."""
        cdef int32_t begin = 0, end
        cdef bint at_end = False
        cdef Part part
        if self.rules.mode == CUT_BYTES and not self.rules.cuts_matches:
            self.figures.ill_formed += count_ill_formed(text, size) * count
        if not self.rules.has_pattern:
            return self.cut_match(text, size, count)
        if self.cuts is not None:
            self.cuts.start(True)
        while begin < size:
            if self.cuts is None:
                end = end_of_next_match(&self.rules.split, text, begin, size, &at_end)
                self.cut_match(text + begin, end - begin, count)
            else:
                end = self.rules.cuts.cut_between(text, begin, size, self.cuts)
                for part in self.cuts.parts:
                    self.cut_match(text + part.begin, part.end - part.begin, count)
            begin = end
        return 0

    cdef int cut_match(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count the chunks of text without boundaries, cut where no piece can cross."""
        cdef const PieceRules* piece_rules = &self.rules.piece_rules
        cdef const uint8_t* run_classes = self.rules.run_classes
        cdef const uint8_t* end = text + size
        cdef const uint8_t* begin = text
        cdef int32_t step
        cdef uint8_t left = NEVER, right
        if self.rules.mode == CUT_PIECES:
            return self.cut_text(text, size, count)
        if not self.rules.cuts_matches:
            return self.add_chunk(text, size, count)
        while True:
            while text < end and run_classes[text[0]] == left:
                text += 1
            if text == end:
                break
            if text[0] < 0x80:
                step = 1
                right = self.rules.ascii_classes[text[0]]
            else:
                step = char_size(text, <int32_t> (end - text))
                right = class_in_bytes(piece_rules, text, step)
                if step == 0:
                    self.figures.ill_formed += count
                    step = 1
            if is_cut(piece_rules, left, right):
                self.add_chunk(begin, text - begin, count)
                begin = text
            left = carried(left, right)
            text += step
        return self.add_chunk(begin, end - begin, count)

    cdef int cut_words(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count the words of a line. Special pieces and the delimiter are in no word."""
        cdef WordRules words = self.rules.words
        cdef const uint8_t* boundary_starts = self.rules.boundary_starts
        cdef int32_t step, end, k
        while size > 0:
            step = 0
            if boundary_starts[text[0]]:
                step = self.rules.boundary_size(text, size)
            if step == 0 and text[0] == 0x20:
                step = 1
            if step == 0:
                end = end_of_word(&words, text, size)
                step = end
                for k in range(1, end):
                    if boundary_starts[text[k]] and self.rules.boundary_size(text + k, size - k):
                        step = k
                        break
                self.add_word(text, step, count)
            text += step
            size -= step
        return 0

    cdef int add_word(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil:
        """Count a word, without what BERT drops; nothing if all of it is dropped."""
        cdef int32_t pos = 0, step
        cdef uint32_t code
        while pos < size:
            step = char_size(text + pos, size - pos)
            if step == 0:
                self.figures.ill_formed += count
                pos += 1
                continue
            code = decode_char(text + pos, step)
            if not (is_dropped(code) and (self.rules.words.is_bert or code == 0)):
                self.put(text + pos, step)
            pos += step
        return self.end_chunk(count)

    cdef int add_chunk(self, const uint8_t* text, int64_t size, uint64_t count) except -1 nogil:
        """Count a chunk that stands in the line as it is, unless it is empty."""
        if size and self.phrases is not None:
            return self.phrases.add(text, size, count)
        return self.table.add_later(text, <uint32_t> size, count) if size else 0

    cdef int put(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Append bytes, at least 1, to the current chunk."""
        if self.chunk_end + size + KEY_BYTES > self.chunk.size():
            self.make_room(size + KEY_BYTES)
        if size == 1:
            self.chunk[self.chunk_end] = text[0]
        else:
            memcpy(self.chunk.data() + self.chunk_end, text, size)
        self.chunk_end += size
        return 0

    cdef int make_room(self, uint64_t size) except -1 nogil:
        """Make room for so many bytes after the current chunk, by adding the texts before it to the table."""
        self.table.add_waiting()
        self.chunk_end -= self.chunk_begin
        if self.chunk_end:  # without a chunk there may be no memory yet
            memmove(self.chunk.data(), self.chunk.data() + self.chunk_begin, self.chunk_end)
        self.chunk_begin = 0
        if self.chunk_end + size > self.chunk.size():
            self.chunk.resize(max(<uint64_t> CHUNK_ROOM, 2 * (self.chunk_end + size)))
        return 0

    cdef void count_odd(self, uint32_t code_point, bint is_ill_formed, uint64_t count) noexcept nogil:
        """Count, for the report, a character that no piece can hold or that was ill-formed."""
        if is_ill_formed or (code_point == 0xFFFD and not self.rules.normalizer.lossless):
            self.figures.ill_formed += count
        elif code_point == MARK_POINT:
            self.figures.space_marks += count
        elif code_point == 0:
            self.figures.nuls += count

    cdef int end_chunk(self, uint64_t count) except -1 nogil:
        """Count the current chunk unless it is empty, and start a new one."""
        cdef const uint8_t* text = self.chunk.data() + self.chunk_begin
        cdef uint64_t size = self.chunk_end - self.chunk_begin
        if size > 0x7FFFFFFF:
            raise TrainingError(
                f"a stretch of {size} bytes after normalization has no place to cut, and 2^31 - 1 is the limit; split "
                "the line"
            )
        if size == 0:
            return 0
        if self.phrases is not None:
            self.chunk_end = self.chunk_begin
            return self.phrases.add(text, size, count)
        if self.rules.in_order:
            self.chunk_end = self.chunk_begin
            return self.table.append_line(text, <uint32_t> size, count)
        self.chunk_begin = self.chunk_end
        return self.table.add_later(text, <uint32_t> size, count)

    cdef int add_boundary(self, uint64_t count) except -1 nogil:
        """Add a place that no piece crosses: inside the chunk for words and lines, else a chunk of its own."""
        cdef uint8_t mark = BOUNDARY_BYTE
        if self.rules.mode == CUT_WORDS or self.rules.mode == CUT_LINES:
            return self.put(&mark, 1)
        self.end_chunk(count)
        if self.phrases is not None:
            self.phrases.end(count)
            return self.phrases.put(&mark, 1, count)
        self.table.add(&mark, 1, count)
        return 0


cdef uint64_t count_ill_formed(const uint8_t* text, int32_t size) noexcept nogil:
    """Return the bytes that are not UTF-8."""
    cdef uint64_t found = 0
    cdef int32_t pos = 0, step
    if is_ascii(text, size):
        return 0
    while pos < size:
        step = 1 if text[pos] < 0x80 else char_size(text + pos, size - pos)
        found += step == 0
        pos += max(step, 1)
    return found


cdef bint has_unknown_mark(const uint8_t* text, uint64_t size) noexcept nogil:
    """Whether the text holds U+2585, the original's mark for an unknown character."""
    cdef const uint8_t* end = text + size
    while True:
        text = <const uint8_t*> memchr(text, 0xE2, end - text)
        if text == NULL or end - text < 3:
            return False
        if text[1] == 0x96 and text[2] == 0x85:
            return True
        text += 1


@cython.final
cdef class ChunkCounter:
    """Counts the chunks of blocks of lines on several threads; the table does not depend on their number."""

    cdef CutRules rules
    cdef list workers
    cdef ChunkTable ordered     # with rules.in_order: the chunks of all blocks so far
    cdef object weight      # of the weighted lines so far: bytes times frequency, a Python int
    cdef uint64_t n_weighted    # lines
    cdef object spill       # a Spill, which takes full tables; None: memory is not limited

    def __cinit__(self, CutRules rules, num_threads=1, spill=None):
        self.rules = rules
        self.spill = spill
        self.weight = self.n_weighted = 0
        self.ordered = ChunkTable()
        self.workers = [LineCutter(rules) for _ in range(num_threads)]

    def add_block(self, bytes block, weighted=False):
        """Count the lines of a block, split at LF; the last line may lack its LF.

        weighted: each line is a text, TAB and its frequency. Raises TrainingError on any other line.
        """
        cdef vector[Line] lines
        cdef const uint8_t* text = <const uint8_t*> PyBytes_AS_STRING(block)
        split_lines(text, len(block), lines)
        if weighted:
            self.read_weights(lines)
        self.run(lines, text + len(block))

    def add_texts(self, list texts, weighted=False):
        """Count each of the texts (bytes) as one line, even if it holds LF. weighted: as in `add_block`."""
        cdef vector[Line] lines
        cdef Line line
        cdef bytes text
        lines.reserve(len(texts))
        for text in texts:
            line.text = <const uint8_t*> PyBytes_AS_STRING(text)
            line.size = len(text)
            line.count = 1
            lines.push_back(line)
        if weighted:
            self.read_weights(lines)
        self.run(lines, NULL)

    cdef int read_weights(self, vector[Line]& lines) except -1:
        """Move the frequencies from the lines into their counts. The total weight is bounded, so no sum overflows."""
        cdef uint64_t i
        for i in range(lines.size()):
            self.n_weighted += 1
            read_weight(&lines[i], self.n_weighted)
            self.weight += (lines[i].size + 1) * int(lines[i].count)
        if self.weight > MAX_WEIGHT:
            raise TrainingError(
                f"the frequencies stand for {self.weight} bytes of text, more than 2^56: divide all by the same number"
            )
        return 0

    cdef int run(self, vector[Line]& lines, const uint8_t* lines_end) except -1:
        """Cut the lines. With a memory limit, cut them in parts and spill the tables when they are full.

        lines_end: as in LineCutter.
        """
        cdef LineCutter worker
        cdef uint64_t begin, end = 0, n_bytes
        for worker in self.workers:
            worker.lines_end = lines_end
        if self.spill is None:
            return self.run_part(lines.data(), lines.size())
        while end < lines.size():
            begin, n_bytes = end, 0
            while end < lines.size() and n_bytes < PART:
                n_bytes += lines[end].size + 1
                end += 1
            self.run_part(lines.data() + begin, end - begin)
            if self.table_memory() > self.spill.table_bytes:
                self.spill.spill(self.tables())
        return 0

    cdef uint64_t table_memory(self):
        """Return the bytes of all tables, including the bytes that sorting needs."""
        cdef LineCutter worker
        cdef uint64_t memory = 0
        for worker in self.workers:
            memory += worker.table.memory()
        return memory

    cdef list tables(self):
        """Return the tables of all threads."""
        cdef LineCutter worker
        return [worker.table for worker in self.workers]

    cdef int run_part(self, const Line* lines, uint64_t n_lines) except -1:
        """Cut the lines on several threads. Each takes a contiguous part of about the same number of bytes."""
        cdef LineCutter worker
        cdef uint64_t n_bytes = 0, done = 0, i = 0, begin
        cdef size_t t, n_threads = len(self.workers)
        for i in range(n_lines):
            n_bytes += lines[i].size + 1
        if n_bytes < SMALL_BLOCK:
            n_threads = 1
        i = 0
        for t in range(n_threads):
            worker = self.workers[t]
            begin = i
            while i < n_lines and (t + 1 == n_threads or done < n_bytes // n_threads * (t + 1)):
                done += lines[i].size + 1
                i += 1
            worker.lines = lines + begin
            worker.n_lines = i - begin
        run_workers(self.workers[:n_threads])
        if self.rules.in_order:
            self.collect()
        return 0

    cdef int collect(self) except -1:
        """Move the chunks of one block from the workers to the end of `ordered`."""
        cdef ChunkTable table
        cdef LineCutter worker
        for worker in self.workers:
            table = worker.table
            with nogil:
                self.ordered.append_all(table)
            table.chunks.clear()
            table.texts.clear()
        return 0

    def finish(self, is_whole=False):
        """Return the table of all chunks, in canonical or (in_order) reading order, and empty the counter.

        is_whole: what was spilled stays in its file, and is returned as a `SpilledTable`.
        """
        cdef ChunkTable table, other
        cdef LineCutter worker
        if self.rules.in_order:
            table, self.ordered = self.ordered, ChunkTable()
            table.close_gaps()
            return table
        if self.spill is not None and self.spill.n_spills > 0:
            return self.spill.finish_whole(self.tables()) if is_whole else self.spill.finish(self.tables())
        table = (<LineCutter> self.workers[0]).table
        for worker in self.workers[1:]:
            other = worker.table
            with nogil:
                table.add_all(other)
            worker.start_table()
        with nogil:
            give_back_memory()
            table.sort()
            give_back_memory()
        (<LineCutter> self.workers[0]).start_table()
        return table

    def figures(self):
        """Return the fields of LineFigures, summed over all threads, as a dictionary."""
        cdef LineCutter worker
        result = {}
        for worker in self.workers:
            for name, value in (<dict> worker.figures).items():
                result[name] = result.get(name, 0) + value
        return result


cdef int split_lines(const uint8_t* text, uint64_t size, vector[Line]& lines) except -1 nogil:
    """Append the lines of a block, without their LF."""
    cdef const uint8_t* end = text + size
    cdef const uint8_t* stop
    cdef Line line
    line.count = 1
    while text < end:
        stop = <const uint8_t*> memchr(text, 0x0A, end - text)
        if stop == NULL:
            stop = end
        line.text = text
        line.size = stop - text
        lines.push_back(line)
        text = stop + 1
    return 0


cdef int read_weight(Line* line, uint64_t number) except -1:
    """Split a line at its one TAB into text and count. number: of the line in the input, for errors."""
    cdef bytes data = line.text[:line.size]
    fields = data.split(b"\t")
    shown = f"line {number}, {data[:80].decode('utf-8', 'replace')!r},"
    if len(fields) != 2:
        raise TrainingError(f"Input format must be: word <tab> freq. {shown} has {len(fields) - 1} TABs, not 1")
    digits = fields[1].strip().removeprefix(b"+")
    if not digits.isdigit():
        raise TrainingError(
            f"Could not parse the frequency of {shown} which is {fields[1][:40].decode('utf-8', 'replace')!r}: "
            "it must be a whole number, 1 or more"
        )
    count = int(digits[:40])
    if not 1 <= count < 2**63:
        raise TrainingError(f"the frequency {count} of {shown} must be 1..2^63 - 1")
    line.size = len(fields[0])
    line.count = count
    return 0
