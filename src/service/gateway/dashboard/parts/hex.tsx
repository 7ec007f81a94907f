import { splitAtHex } from '../assets/console-call.js'

/** A text whose hexadecimal values are highlighted and never broken. */
export function Hex({ text }: { readonly text: string }) {
  return (
    <>
      {splitAtHex(text).map(({ part, isHex }, place) =>
        isHex ? (
          <span class="hex" key={String(place)}>
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </>
  )
}
