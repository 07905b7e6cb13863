import { useLocalStorage } from '@mantine/hooks'

/** Whether keys without Ctrl do something. They can be turned off: speech control types them by accident (WCAG 2.1.4). */
export function usePlainKeys() {
  return useLocalStorage({ key: 'tocsin-plain-keys', defaultValue: true, getInitialValueInEffect: false })
}
