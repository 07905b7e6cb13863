import { createTheme, type CSSVariablesResolver } from '@mantine/core'

export const theme = createTheme({
  colors: {
    // Dark enough at 8 to be read on white, bright enough at 4 to be read on black.
    brand: [
      '#e6fbf5',
      '#c9f2e5',
      '#96e5cc',
      '#63d8b3',
      '#38cc9d',
      '#20b489',
      '#0fa47b',
      '#0a8a66',
      '#087052',
      '#065a42',
    ],
  },
  primaryColor: 'brand',
  primaryShade: 8,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650' },
})

/** Text that the component library makes too pale to be read by everybody (WCAG AA: 4.5 to 1). */
export const readableColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#59636e',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': '#b02525',
    '--mantine-color-brand-light-color': '#065a42',
    '--mantine-color-green-light-color': '#1b622a',
    '--mantine-color-red-light-color': '#a31f1f',
    '--mantine-color-orange-light-color': '#8f3505',
    '--mantine-color-yellow-light-color': '#704700',
    '--mantine-color-blue-light-color': '#11508f',
    '--mantine-color-grape-light-color': '#7a2c8e',
    '--mantine-color-gray-light-color': '#495057',
  },
  dark: {
    '--mantine-color-dimmed': '#a3abb3',
    '--mantine-color-placeholder': '#9aa2aa',
    '--mantine-color-error': '#ff8787',
  },
})
