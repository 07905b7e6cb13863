import { Center, Group, Paper, Title } from '@mantine/core'
import { Logo } from '../shell/logo.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignIn() {
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w={440} maw="100%">
        <SignInForm>
          <Group gap="sm">
            <Logo size={36} />
            <Title order={1}>Tocsin</Title>
          </Group>
        </SignInForm>
      </Paper>
    </Center>
  )
}
