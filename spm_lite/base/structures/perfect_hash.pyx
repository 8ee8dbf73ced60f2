"""Hash and displace: groups choose their steps, the largest first; a bit set holds the places taken.

`find_steps` is the driver. The hot loop is `take_places`. Header: perfect_hash.pxd.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill

cdef enum:
    MOST_MEMBERS = 32       # hashes in a group; more have never been seen


cdef bint find_steps(
    const vector[uint64_t]& hashes, uint32_t shift, uint64_t n_places, vector[uint8_t]& steps,
) except -1 nogil:
    cdef vector[uint64_t] members           # hashes, group by group
    cdef vector[uint32_t] begins, groups    # first hash of each group, and the end; large groups first
    cdef vector[uint64_t] taken             # a bit for each place
    cdef uint32_t group, step, n_members
    cdef size_t k
    collect_groups(hashes, shift, members, begins)
    if not order_groups(begins, groups):
        return False
    refill(steps, <size_t> 1 << (64 - shift), 0)
    refill(taken, n_places // 64 + 1, 0)
    for k in range(groups.size()):
        group = groups[k]
        n_members = begins[group + 1] - begins[group]
        if n_members == 0:
            break
        step = 0
        while not take_places(members.data() + begins[group], n_members, step, n_places, taken.data()):
            step += 1
            if step == N_STEPS:
                return False
        steps[group] = <uint8_t> step
    return True


cdef int collect_groups(
    const vector[uint64_t]& hashes, uint32_t shift, vector[uint64_t]& members, vector[uint32_t]& begins,
) except -1 nogil:
    """Fill `members` with the hashes by group, and `begins` with the first of each group and the end."""
    cdef size_t k
    cdef uint32_t begin = 0, group
    refill(begins, (<size_t> 1 << (64 - shift)) + 1, 0)
    members.resize(hashes.size())
    for k in range(hashes.size()):
        begins[hashes[k] >> shift] += 1
    for k in range(begins.size()):
        begin += begins[k]
        begins[k] = begin
    for k in range(hashes.size()):
        group = <uint32_t> (hashes[k] >> shift)
        begins[group] -= 1
        members[begins[group]] = hashes[k]
    return 0


cdef bint order_groups(const vector[uint32_t]& begins, vector[uint32_t]& groups) except -1 nogil:
    """Fill `groups` by falling size; False: one has more than MOST_MEMBERS."""
    cdef size_t n_groups = begins.size() - 1, k
    cdef size_t counts[MOST_MEMBERS + 2]
    cdef uint32_t size
    for k in range(MOST_MEMBERS + 2):
        counts[k] = 0
    for k in range(n_groups):
        size = begins[k + 1] - begins[k]
        if size > MOST_MEMBERS:
            return False
        counts[MOST_MEMBERS - size + 1] += 1
    for k in range(MOST_MEMBERS + 1):
        counts[k + 1] += counts[k]
    groups.resize(n_groups)
    for k in range(n_groups):
        size = begins[k + 1] - begins[k]
        groups[counts[MOST_MEMBERS - size]] = <uint32_t> k
        counts[MOST_MEMBERS - size] += 1
    return True


cdef inline bint take_places(
    const uint64_t* hashes, uint32_t n_hashes, uint32_t step, uint64_t n_places, uint64_t* taken,
) noexcept nogil:
    """Take the places of all hashes after `step` steps; False: one is taken, and nothing changed."""
    cdef uint32_t k, n_taken = 0
    cdef uint64_t place
    for k in range(n_hashes):
        place = place_at(hashes[k], step, n_places)
        if taken[place >> 6] >> (place & 63) & 1:
            break
        taken[place >> 6] |= <uint64_t> 1 << (place & 63)
        n_taken += 1
    if n_taken == n_hashes:
        return True
    for k in range(n_taken):
        place = place_at(hashes[k], step, n_places)
        taken[place >> 6] &= ~(<uint64_t> 1 << (place & 63))
    return False
