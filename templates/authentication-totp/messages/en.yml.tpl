secondFactor:
  title: Second factor
  code: Code
  recoveryHint: The code of your app, or a recovery code
  scan: Scan this image with an authenticator app, or enter the key below. Then enter the code that the app shows.
  image: QR code of the key
  recovery: Recovery codes
  keep: Keep these codes in a safe place. Each logs you in once if you have lost the app. They are not shown again.
  active: A login asks for a code of your app.
  added: The second factor is active. All other devices were logged out.
  remove: Remove the second factor
  removed: The second factor was removed. All other devices were logged out.
  refused: The code is wrong or was already used.
