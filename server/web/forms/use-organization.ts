import { useState } from 'react'
import { useOrganizations } from '../api/lookups.ts'

/** For which organization something is done: the only one there is, or the one that was chosen. It is never guessed. */
export function useOrganization() {
  const { codes, error } = useOrganizations()
  const [chosen, setChosen] = useState<string | null>(null)
  const code = chosen ?? (codes.length === 1 ? codes[0] : undefined)
  return {
    /** Undefined until it is known. */
    code,
    /** There is none to choose: nobody has to be asked. */
    isSingle: codes.length === 1,
    field: {
      label: 'Organization',
      placeholder: 'Choose one',
      data: [...codes],
      value: code ?? null,
      onChange: setChosen,
      error,
      allowDeselect: false,
      searchable: codes.length > 7,
      withAsterisk: true,
    },
  }
}
