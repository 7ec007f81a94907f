/** Explains the counts of requests and node calls, below numbers of them. */
export function CountsNote() {
  return (
    <p class="muted">
      A received request is charged or refused. A charged request counts against the daily limit, and its
      answer is a result or an error. A refused one is free: a limit was spent, too many requests were
      waiting, or the body was too large or of another type. Requests that the rules of a key refuse are not
      read, and are listed at its failures. A node call is a request that the service sends to a node of the
      network to answer yours. Answers from the cache need none, and the logs of a long range need many.
    </p>
  )
}
