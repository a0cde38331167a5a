import Commands

EntryPoint.run()
