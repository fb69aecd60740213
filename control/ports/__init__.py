"""What the control plane needs of the outside, by role. Each says what happens when the outside fails."""
