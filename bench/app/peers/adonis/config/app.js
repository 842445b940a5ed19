import { defineConfig } from '@adonisjs/core/http'

export const http = defineConfig({
  generateRequestId: false,
  allowMethodSpoofing: true,
  useAsyncLocalStorage: false,
  cookie: { path: '/', maxAge: '2h', httpOnly: true, secure: false, sameSite: 'lax' },
})
