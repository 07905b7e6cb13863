import { Button, Modal, Text } from '@mantine/core'
import { forgetTyped } from '../forms/typed.ts'
import { leave } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'

function leaveUnasked(): void {
  forgetTyped()
  leave()
}

/** The session is over: what was typed stays behind this dialog until the same key signs in again. */
export function SignInAgain({ name }: { readonly name: string }) {
  return (
    <Modal
      opened
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={1000}
    >
      <SignInForm>
        <Text size="sm">
          Sign in again with the key <b>{name}</b> and go on where you were. With another key the page begins
          anew.
        </Text>
      </SignInForm>
      <Button mt="md" variant="subtle" size="compact-sm" onClick={leaveUnasked}>
        Leave, and lose what is not saved
      </Button>
    </Modal>
  )
}
