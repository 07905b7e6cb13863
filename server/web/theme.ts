import { createTheme, type CSSVariablesResolver } from '@mantine/core'

/** Tooltips also open on focus and touch. */
const tooltipEvents = { hover: true, focus: true, touch: true }

const closeButtonProps = { 'aria-label': 'Close' }

export const theme = createTheme({
  colors: {
    // The blue-green of the logo, which no state uses. Shade 8 is readable on white, shade 4 on black.
    brand: [
      '#e3f6f9',
      '#c5ebf1',
      '#98dbe6',
      '#66c8d8',
      '#45b9cc',
      '#22a2b8',
      '#118ba1',
      '#0e7a8f',
      '#0b6b7d',
      '#08525f',
    ],
    // 0: text, 4: lines, 6: fields, 7: page.
    dark: [
      '#d6dde6',
      '#b6c0cc',
      '#98a4b2',
      '#7b8896',
      '#343d49',
      '#2a323d',
      '#1f262f',
      '#161b22',
      '#11151b',
      '#0b0e13',
    ],
  },
  primaryColor: 'brand',
  primaryShade: 8,
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  components: {
    Alert: { defaultProps: { variant: 'light' } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', radius: 'sm', fw: 600 } },
    Drawer: { defaultProps: { closeButtonProps } },
    Modal: { defaultProps: { centered: true, closeButtonProps } },
    Notification: { defaultProps: { closeButtonProps } },
    TableScrollContainer: { defaultProps: { type: 'native' } },
    Tooltip: { defaultProps: { openDelay: 300, multiline: true, maw: 420, events: tooltipEvents } },
  },
})

/** Background surfaces, and text colours with enough contrast (WCAG AA: 4.5 to 1). */
export const readableColours: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--tocsin-behind': '#f6f8fa',
    '--tocsin-line': '#e4e8ec',
    '--mantine-color-dimmed': '#59636e',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': '#b02525',
    '--mantine-color-brand-light-color': '#08525f',
    '--mantine-color-green-light-color': '#1b622a',
    '--mantine-color-red-light-color': '#a31f1f',
    '--mantine-color-orange-light-color': '#8f3505',
    '--mantine-color-yellow-light-color': '#704700',
    '--mantine-color-blue-light-color': '#11508f',
    '--mantine-color-grape-light-color': '#7a2c8e',
    '--mantine-color-gray-light-color': '#495057',
  },
  dark: {
    '--tocsin-behind': '#11151b',
    '--mantine-color-gray-light': '#2a323d',
    '--mantine-color-gray-light-color': '#d6dde6',
    '--tocsin-line': '#262d37',
    '--mantine-color-dimmed': '#a3adb9',
    '--mantine-color-placeholder': '#98a4b2',
    '--mantine-color-error': '#ff8787',
  },
})
