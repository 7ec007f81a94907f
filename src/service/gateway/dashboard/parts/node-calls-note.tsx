/** Explains node calls, below numbers of them. */
export function NodeCallsNote() {
  return (
    <p class="muted">
      A node call is a request that the service sends to a node of the network to answer yours. Answers from
      the cache need none, and the logs of a long range need many. The daily limit counts requests, not node
      calls.
    </p>
  )
}
