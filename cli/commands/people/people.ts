import { Command } from 'commander'
import { peopleDisableCommand } from './people-disable.ts'
import { peopleInviteCommand } from './people-invite.ts'
import { peopleListCommand } from './people-list.ts'
import { peopleResetCommand } from './people-reset.ts'

export function peopleCommand(): Command {
  return new Command('people')
    .description('invite, list and disable people')
    .addCommand(peopleInviteCommand())
    .addCommand(peopleListCommand())
    .addCommand(peopleDisableCommand())
    .addCommand(peopleResetCommand())
}
