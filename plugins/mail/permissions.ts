const imap = ['IMAP access to the mailbox', 'Microsoft 365: IMAP.AccessAsApp and FullAccess to the mailbox']
const smtp = ['authenticated SMTP', 'Microsoft 365: SMTP.SendAsApp and FullAccess to the mailbox']

/** The permissions that the account needs for each skill. */
export const permissions = { imap, smtp } as const
