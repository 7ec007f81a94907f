/** A text of the contract: what stands between backticks is code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split('`')
        .map((part, place) => (place % 2 === 1 ? <code key={String(place)}>{part}</code> : part))}
    </>
  )
}
