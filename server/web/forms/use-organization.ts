import { useOrganizations } from '../api/lookups.ts'

type Chosen = readonly [code: string | null, choose: (code: string | null) => void]

/** For which organization something is done: the only one there is, or the one that was chosen. It is never guessed. */
export function useOrganization([chosen, choose]: Chosen) {
  const { codes, error } = useOrganizations()
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
      onChange: choose,
      error,
      allowDeselect: false,
      searchable: codes.length > 7,
      withAsterisk: true,
    },
  }
}
