import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { getBookings } from './skills/get-bookings.ts'
import { getUsers } from './skills/get-users.ts'
import { searchUserTravel } from './skills/search-user-travel.ts'

export default definePlugin({
  name: 'travel',
  title: 'Travel platform',
  description: 'Finds people’s trips from Navan bookings.',
  connection,
  skills: [getUsers, searchUserTravel, getBookings],
})
