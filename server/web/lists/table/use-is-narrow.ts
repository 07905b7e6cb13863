import { useMediaQuery } from '@mantine/hooks'

/** Whether the page is narrower than 62em: tables then leave out, or put behind, what can be missed. */
export const useIsNarrow = (): boolean =>
  useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false })
