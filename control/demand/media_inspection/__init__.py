"""
Looking into files that strangers sent. What is here runs in a process of its own, with little memory, little time
and nothing to lose; see `control.demand.assets.inspection`, which starts it.
"""
