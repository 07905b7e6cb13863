import '@mantine/core/styles.css'
import { MantineProvider, Title } from '@mantine/core'
import { nonce } from './nonce.ts'

export function App() {
  return (
    <MantineProvider defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <Title>Tocsin</Title>
    </MantineProvider>
  )
}
